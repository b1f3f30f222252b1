// A handler tells the arbiter that it ran by setting a flag on its element.
function ran(element) {
  element.__arbiter_handler_ran = true;
}

function on(id, type, act) {
  const element = document.getElementById(id);
  element?.addEventListener(type, (event) => {
    act(event);
    ran(element);
  });
}

let stage = 0;
on('advance', 'click', () => {
  const stages = [...document.querySelectorAll('.stage')];
  stage = (stage + 1) % stages.length;
  stages.forEach((element, i) => element.setAttribute('aria-current', i === stage ? 'step' : 'false'));
});
on('dismiss', 'click', () => document.getElementById('note').remove());
on('today', 'click', (event) => event.currentTarget.toggleAttribute('data-open'));

function share(button) {
  button.textContent = 'Copied';
}
