/**
 * Runs in the page's own JavaScript world, before any script of the page.
 *
 * `__arbiter_handler_ran` is an expando, and expandos exist per world, so only code in this world can see it. The
 * isolated world asks by dispatching events under a secret name (`secret`, random per run) whose detail is a number
 * (the only kind of detail that needs no copy between worlds): `index * OPERATIONS + operation`. The answer to a
 * question is "yes" when the event comes back cancelled. Everything used is taken before the page can replace it.
 *
 * The driver calls the same listener directly, with a string, for what is no yes or no: how the nodes are wired
 * (`survey`, what frameworks.mjs returned) and the errors that handlers threw. A page cannot reach it: the closure hangs on
 * nothing but its registration, under a name that the page does not know.
 */
export function witness(secret, flag, survey) {
  if (window !== window.parent) return;
  const MESSAGE = 1000;                       // characters of an error's text that are kept: a page may throw megabytes
  const {apply, deleteProperty, getOwnPropertyDescriptor} = Reflect;
  const uncurry = (method) => (self, ...rest) => apply(method, self, rest);
  const getter = (prototype, name) => uncurry(Object.getOwnPropertyDescriptor(prototype, name).get);
  const targetOf = getter(Event.prototype, 'target');
  const detailOf = getter(CustomEvent.prototype, 'detail');
  const messageOf = getter(ErrorEvent.prototype, 'message');
  const cancel = uncurry(Event.prototype.preventDefault);
  const stop = uncurry(Event.prototype.stopImmediatePropagation);
  const listen = uncurry(EventTarget.prototype.addEventListener);
  const get = uncurry(Map.prototype.get);
  const set = uncurry(Map.prototype.set);
  const hasOwn = uncurry(Object.prototype.hasOwnProperty);
  const floor = Math.floor;
  const slice = uncurry(String.prototype.slice);
  const nodes = new Map();
  const errors = new Map();
  let size = 0;
  let current = -1;

  // An accessor, an inherited value or anything that is not the value true is no evidence.
  const ran = (node) => {
    const found = getOwnPropertyDescriptor(node, flag);
    return found !== undefined && hasOwn(found, 'value') && found.value === true;
  };
  // The same order as OPERATIONS in handlers.mjs.
  const operations = [
    (index, event) => {                       // register: remember the node that the event was dispatched at
      set(nodes, index, targetOf(event));
      if (index >= size) size = index + 1;
      return true;
    },
    (index) => {                              // arm: no flag is left over, errors from now on belong to this shot
      current = index;
      return deleteProperty(get(nodes, index), flag);
    },
    (index) => ran(get(nodes, index)),        // ran
    () => { current = -1; return true; },     // disarm
  ];
  const copyOf = (map, of) => {
    const copy = {__proto__: null};
    for (let index = 0; index < size; index += 1) {
      const value = get(map, index);
      if (value !== undefined) copy[index] = of(value);
    }
    return copy;
  };

  listen(window, secret, (event, wanted) => {
    if (event === 'survey') return survey(copyOf(nodes, (node) => node), size, wanted);
    if (event === 'report') return {__proto__: null, ran: copyOf(nodes, ran), errors: copyOf(errors, (error) => error)};
    stop(event);
    const detail = detailOf(event);
    const index = floor(detail / operations.length);
    if (operations[detail % operations.length](index, event)) cancel(event);
    return undefined;
  }, true);
  // A page that the browser's user did not open may close itself, and printing may wait for a person.
  window.close = () => {};
  window.print = () => {};

  listen(window, 'error', (event) => {
    if (current >= 0 && get(errors, current) === undefined) {
      try { set(errors, current, slice(messageOf(event), 0, MESSAGE)); } catch { /* a resource's error event carries no message */ }
    }
  }, true);
}
