/**
 * Runs in the isolated world, synchronously: what can be read of each declared element without changing anything.
 *
 * elements: [{selector, interactions: [{name, events}]}].
 * Returns {nodes, facts}: nodes[i] is the element measured, or null; facts[i] is its plain description.
 *
 * Every method is taken from its prototype: a form control named `style`, `id` or `getBoundingClientRect` shadows
 * the node's own property, in this world too.
 */
export function readBoxes(elements) {
  const queryAll = Document.prototype.querySelectorAll;
  const boxOf = Element.prototype.getBoundingClientRect;
  const attribute = Element.prototype.getAttribute;
  const parentOf = Object.getOwnPropertyDescriptor(Node.prototype, 'parentElement').get;
  const isRendered = Element.prototype.checkVisibility;

  const hiddenBy = (node) => {
    if (isRendered.call(node, {opacityProperty: true, visibilityProperty: true})) return null;
    const own = getComputedStyle(node);
    if (own.visibility !== 'visible' && own.display !== 'none') return `visibility: ${own.visibility}`;
    for (let at = node; at !== null; at = parentOf.call(at)) {
      const where = at === node ? '' : ' on an ancestor';
      const style = getComputedStyle(at);
      if (style.display === 'none') return `display: none${where}`;
      if (style.opacity === '0') return `opacity: 0${where}`;
      if (at !== node && style.contentVisibility === 'hidden') return 'content-visibility: hidden on an ancestor';
    }
    // display: contents makes no box of its own, but what it holds is shown.
    return own.display === 'contents' ? null : 'not rendered';
  };
  const inlineAttribute = (node, events) => events.some((event) => {
    const text = attribute.call(node, `on${event}`);
    return text !== null && text.trim() !== '';
  });

  window.scrollTo({left: 0, top: 0, behavior: 'instant'});
  const nodes = [];
  const facts = elements.map(({selector, interactions}) => {
    let found;
    try {
      found = queryAll.call(document, selector);
    } catch {
      nodes.push(null);
      return {selector_error: 'not a valid CSS selector', matches: 0};
    }
    if (found.length === 0) {
      nodes.push(null);
      return {selector_error: null, matches: 0};
    }
    const node = found[0];
    nodes.push(node);
    const box = boxOf.call(node);
    return {
      selector_error: null,
      matches: found.length,
      box: {x: box.x, y: box.y, w: box.width, h: box.height},
      hidden_by: hiddenBy(node),
      inline_style: attribute.call(node, 'style'),
      opt_in: attribute.call(node, 'data-arbiter-wired') === 'true',
      interactions: interactions.map(({name, events}) => ({name, inline_attribute: inlineAttribute(node, events)})),
    };
  });
  return {nodes, facts};
}
