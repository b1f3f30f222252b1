/**
 * Runs in the page's own JavaScript world, before any script of the page: takes what it needs before the page can
 * replace it. What it returns is called by the witness (witness.mjs), when the page has rendered.
 *
 * A framework that delegates listens at a root, and keeps the handler of each element in an expando of that element
 * or, jQuery, in a registry on the ancestor. So the handler of an element can be read, but a page can forge it: what is
 * found counts only where the browser knows a listener at the root that is named with it (driver/wiring.mjs). Only own
 * data properties are read: no getter of the page's runs. A Proxy that a page puts in a framework's place may run its
 * own traps, which gains it nothing: they learn of no other element, and an answer that throws is none.
 */
export function frameworks() {
  const KEYS = 1000;                          // looked at of one object: a page may give it a million
  const TEXT = 300;                           // characters that are kept of a function's source or a selector
  const {apply, defineProperty, getOwnPropertyDescriptor, ownKeys} = Reflect;
  const uncurry = (method) => (self, ...rest) => apply(method, self, rest);
  const getter = (prototype, name) => uncurry(Object.getOwnPropertyDescriptor(prototype, name).get);
  const parentOf = getter(Node.prototype, 'parentNode');
  const descriptionOf = getter(Symbol.prototype, 'description');
  const matches = uncurry(Element.prototype.matches);
  const sourceOf = uncurry(Function.prototype.toString);
  const hasOwn = uncurry(Object.prototype.hasOwnProperty);
  const lower = uncurry(String.prototype.toLowerCase);
  const slice = uncurry(String.prototype.slice);
  const startsWith = uncurry(String.prototype.startsWith);
  const get = uncurry(Map.prototype.get);
  const set = uncurry(Map.prototype.set);
  const PlainMap = Map;

  // A page may have put setters on Array.prototype, and an iterator: no destructuring, no spreading of arrays below.
  const push = (list, value) => defineProperty(
    list, list.length, {__proto__: null, value, enumerable: true, writable: true, configurable: true});
  const isObject = (value) => typeof value === 'object' && value !== null;
  const own = (object, key) => {
    const found = isObject(object) ? getOwnPropertyDescriptor(object, key) : undefined;
    return found !== undefined && hasOwn(found, 'value') ? found.value : undefined;
  };
  const keysOf = (object) => {
    const keys = isObject(object) ? ownKeys(object) : [];
    const first = [];
    for (let i = 0; i < keys.length && i < KEYS; i += 1) push(first, keys[i]);
    return first;
  };

  // The events out of which React makes one, where it is not that event itself.
  const REACT_EVENTS = {
    __proto__: null, change: ['change', 'input', 'click'], input: ['input', 'change'],
    focus: ['focusin', 'focus'], blur: ['focusout', 'blur'],
    mouseenter: ['mouseover', 'mouseout'], mouseleave: ['mouseout', 'mouseover'],
    pointerenter: ['pointerover', 'pointerout'], pointerleave: ['pointerout', 'pointerover'],
  };
  const REACT_PROPS = {__proto__: null, dblclick: ['ondoubleclick'], input: ['oninput', 'onchange']};
  // React listens on the element for what does not bubble, whether it has a handler or not.
  const MEDIA = ['abort', 'canplay', 'canplaythrough', 'durationchange', 'emptied', 'encrypted', 'ended', 'error',
    'loadeddata', 'loadedmetadata', 'loadstart', 'pause', 'play', 'playing', 'progress', 'ratechange', 'resize',
    'seeked', 'seeking', 'stalled', 'suspend', 'timeupdate', 'volumechange', 'waiting'];
  const TRAPPED = [...MEDIA, 'beforetoggle', 'cancel', 'close', 'invalid', 'load', 'scroll', 'scrollend', 'toggle'];
  const TRAPPED_16 = [...MEDIA, 'invalid', 'load', 'reset', 'submit', 'toggle'];
  const includes = (list, wanted) => {
    for (let i = 0; i < list.length; i += 1) if (list[i] === wanted) return true;
    return false;
  };

  const reactProps = (props, types, note) => {
    const keys = keysOf(props);
    for (let k = 0; k < keys.length; k += 1) {
      if (typeof keys[k] !== 'string' || !startsWith(keys[k], 'on')) continue;
      const name = lower(slice(keys[k], 0, TEXT));
      for (let t = 0; t < types.length; t += 1) {
        const names = REACT_PROPS[types[t]] ?? [`on${types[t]}`];
        for (let n = 0; n < names.length; n += 1) {
          if (name === names[n] || name === `${names[n]}capture`) note(types[t], keys[k], own(props, keys[k]), REACT_EVENTS[types[t]]);
        }
      }
    }
  };
  // React does not say its version; what its fibers hold differs.
  const reactVersion = (fiber) => {
    if (!isObject(fiber)) return 'React';
    if (hasOwn(fiber, 'refCleanup')) return 'React 19+';
    return hasOwn(fiber, 'subtreeFlags') ? 'React 18' : 'React 17';
  };

  /** The handlers that a jQuery 3 or later keeps with a node, in one list: [{type, heard_as, selector, handler}]. */
  const registryOf = (node) => {
    const entries = [];
    const keys = keysOf(node);
    for (let k = 0; k < keys.length; k += 1) {
      if (typeof keys[k] !== 'string' || !startsWith(keys[k], 'jQuery')) continue;
      const events = own(own(node, keys[k]), 'events');
      const names = keysOf(events);
      for (let n = 0; n < names.length; n += 1) {
        const list = own(events, names[n]);
        for (let i = 0; i < own(list, 'length') && entries.length < KEYS; i += 1) {
          const entry = own(list, i);
          push(entries, {
            __proto__: null, type: own(entry, 'origType'), heard_as: names[n],
            selector: own(entry, 'selector'), handler: own(entry, 'handler')});
        }
      }
    }
    return entries;
  };
  const isMatched = (node, selector) => {
    try { return matches(node, selector); } catch { return false; }
  };

  /**
   * nodes: by number of the shot, `size` of them.  wanted: the event types of each.
   * Returns {plain, pick}. plain: {above, shots}: every node and its ancestors have an index, above[index] is its
   * parent's, -1 for none; shots[number]: {node: index, trapped, delegated: [{framework, type, handler, source, roots,
   * heard_as}]}: a handler counts if one of the roots (indexes) listens for one of the types heard_as; trapped: the types for
   * which a bound function on the node is React's own. pick(indexes): these nodes; without indexes, those of the shots.
   */
  return (nodes, size, wanted) => {
    const places = new PlainMap();
    const targets = [];
    const above = [];
    const shots = [];
    const place = (node) => {
      if (get(places, node) === undefined) {
        set(places, node, targets.length);
        push(targets, node);
      }
      return get(places, node);
    };
    for (let number = 0; number < size; number += 1) place(nodes[number]);
    const shown = targets.length;
    for (let index = 0; index < targets.length; index += 1) {
      const parent = parentOf(targets[index]);
      push(above, parent === null ? -1 : place(parent));
    }
    const memory = (read) => {
      const known = {__proto__: null};
      return (index) => { known[index] ??= read(targets[index]); return known[index]; };
    };
    const namesOf = memory(keysOf);
    const registry = memory(registryOf);
    const isReactRoot = (index, suffix) => {
      const keys = namesOf(index);
      for (let k = 0; k < keys.length; k += 1) {
        // A portal's container has only the mark.
        if (keys[k] === `__reactContainer$${suffix}` || (typeof keys[k] === 'string' && startsWith(keys[k], '_reactListening'))) return true;
      }
      return false;
    };
    const path = (index, choose) => {
      const chosen = [];
      for (let at = index; at !== -1; at = above[at]) if (choose(at)) push(chosen, at);
      return chosen;
    };

    const look = (index, types, shot) => {
      const node = targets[index];
      const noteFor = (framework, roots) => (type, handler, value, heardAs = [type]) => {
        if (typeof value !== 'function') return;
        push(shot.delegated, {
          __proto__: null, framework, type, handler: slice(handler, 0, TEXT), source: slice(sourceOf(value), 0, TEXT + 1),
          roots, heard_as: heardAs});
      };
      const trap = (list) => {
        for (let t = 0; t < types.length; t += 1) if (includes(list, types[t])) push(shot.trapped, types[t]);
      };
      const top = path(index, (at) => above[at] === -1);
      const keys = namesOf(index);
      for (let k = 0; k < keys.length; k += 1) {
        const key = keys[k];
        const value = own(node, key);
        if (typeof key === 'symbol') {
          if (descriptionOf(key) !== 'events') continue;
          const note = noteFor('Svelte 5', top);
          for (let t = 0; t < types.length; t += 1) note(types[t], types[t], own(value, types[t]));
        } else if (startsWith(key, '__reactProps$')) {
          const suffix = slice(key, '__reactProps$'.length);
          const roots = path(index, (at) => isReactRoot(at, suffix));
          reactProps(value, types, noteFor(reactVersion(own(node, `__reactFiber$${suffix}`)), roots));
          trap(TRAPPED);
        } else if (startsWith(key, '__reactEventHandlers$')) {
          // It listens at the document, and for what it traps on the element.
          reactProps(value, types, noteFor('React 16', path(index, (at) => at === index || above[at] === -1)));
          trap(TRAPPED_16);
        } else {
          for (let t = 0; t < types.length; t += 1) {
            if (key === `$$${types[t]}`) noteFor('Solid', top)(types[t], key, value);
            if (key === `__${types[t]}`) noteFor('Svelte 5', top)(types[t], key, own(value, 0) ?? value);
          }
        }
      }
      path(index, (at) => {
        const entries = registry(at);
        for (let e = 0; e < entries.length; e += 1) {
          const {type, heard_as: heardAs, selector, handler} = entries[e];
          if (!includes(types, type)) continue;
          const note = noteFor('jQuery', [at]);
          if (typeof selector === 'string') {
            if (at !== index && isMatched(node, selector)) note(type, `${type} ${slice(selector, 0, TEXT)}`, handler, [heardAs]);
          } else if (at === index && heardAs !== type) {
            // Its mouseenter is a mouseover to the browser.
            note(type, type, handler, [heardAs]);
          }
        }
        return false;
      });
    };
    for (let number = 0; number < size; number += 1) {
      const shot = {__proto__: null, node: place(nodes[number]), trapped: [], delegated: []};
      try { look(shot.node, wanted[number], shot); } catch { /* what cannot be read is no evidence */ }
      push(shots, shot);
    }
    return {
      __proto__: null,
      plain: {__proto__: null, above, shots},
      pick: (indexes) => {
        const picked = [];
        const many = indexes === null ? shown : indexes.length;
        for (let i = 0; i < many; i += 1) push(picked, targets[indexes === null ? i : indexes[i]]);
        return picked;
      },
    };
  };
}
