/** What all the pages share. */
export const handle = (event) => {
  event?.preventDefault?.();
  document.title += '.';
};
export const stop = (event) => { event.stopPropagation(); };
/** What hydrates does so a while after the page has come. */
export const later = (work) => { setTimeout(work, 150); };
export const place = (html = '') => {
  const element = document.createElement('div');
  element.innerHTML = html;
  return document.body.appendChild(element);
};
