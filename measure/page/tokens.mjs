/**
 * Runs in the isolated world, synchronously: which custom properties the computed values of each element go through,
 * and what colours it shows. Nothing of the page is changed that is not changed back before this function returns,
 * and no script of the page runs meanwhile.
 *
 * nodes: the elements measured (null where there is none).
 * request: {properties: [[…] per node], custom_properties: [{name, kind}], inherited_properties: [...],
 *           declared_colors: [...]}.
 * Returns {elements: [{bindings: {name: {changed, inherited}}, custom_properties: {name: {color}}, computed_colors}],
 *          declared_colors: {text: [r, g, b, alpha] or null}}; colours in sRGB, 0 to 1.
 *
 * A binding is measured: each custom property is overridden everywhere through a constructed stylesheet, and the
 * computed values (computedStyleMap, so that layout does not leak in) are read before and after.
 */
export function readTokens(nodes, request) {
  // No element has two ids, so this matches everything; it weighs the most that the browser counts, ids and classes.
  const most = (mark) => Array.from({length: 255}, (_, i) => `${mark}arbiter-${i}`).join('');
  const anything = `:not(${most('#')}${most('.')})`;
  const PINNED = 'rgb(17, 19, 23)';
  // Values that no page uses. Two for lengths and numbers: min() and max() may hide the one or the other.
  const probes = {
    color: ['rgb(3, 251, 7)', 'rgb(249, 5, 247)'],
    length: ['1021.03125px', '0.015625px'],
    number: ['137', '0.0625'],
    family: ['"arbiter probe"', '"arbiter probe"'],
    any: ['1021.03125px', '137'],
  };
  // What an inherited property is forced to on the parent, to see whether the element follows.
  const forced = {
    'color': 'rgb(11, 241, 13)', 'fill': 'rgb(11, 241, 13)', 'stroke': 'rgb(11, 241, 13)',
    'caret-color': 'rgb(11, 241, 13)', 'accent-color': 'rgb(11, 241, 13)',
    'text-emphasis-color': 'rgb(11, 241, 13)', '-webkit-text-fill-color': 'rgb(11, 241, 13)',
    '-webkit-text-stroke-color': 'rgb(11, 241, 13)', 'text-shadow': 'rgb(11, 241, 13) 3px 5px 7px',
    'font-family': '"arbiter inheritance"', 'font-size': '113.03125px', 'font-weight': '139',
    'font-style': 'oblique 13deg', 'font-stretch': '113%',
    'line-height': '117.03125px', 'letter-spacing': '13.03125px', 'word-spacing': '17.03125px',
    'text-indent': '19.03125px', 'text-transform': 'full-width',
  };
  const sheetsOf = Object.getOwnPropertyDescriptor(Document.prototype, 'adoptedStyleSheets');
  const parentOf = Object.getOwnPropertyDescriptor(Node.prototype, 'parentElement').get;
  const styleMapOf = Element.prototype.computedStyleMap;
  const inheritable = new Set(request.inherited_properties);

  const valueOf = (map, property) => {
    try {
      const values = map.getAll(property);
      return values.length === 1 ? values[0].toString() : values.map(String).join(', ');
    } catch {
      return '';                              // a property that this browser does not have
    }
  };

  // Colours are resolved by the browser itself, on a canvas that belongs to no document.
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  const resolved = new Map();
  const serialized = (text) => {
    // Two different starts: an unreadable text leaves the start as it was.
    const results = ['#000000', '#ffffff'].map((start) => {
      canvas.fillStyle = start;
      canvas.fillStyle = text;
      return canvas.fillStyle;
    });
    return results[0] === results[1] ? results[0] : null;
  };
  const components = (text) => {
    if (/^#[0-9a-f]{6}$/.test(text)) return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255).concat(1);
    const numbers = text.match(/-?\d*\.?\d+(?:e[-+]?\d+)?|none/g)?.map((n) => (n === 'none' ? 0 : Number(n))) ?? [];
    if (/^rgba?\(/.test(text)) return [...numbers.slice(0, 3).map((n) => n / 255), numbers[3] ?? 1];
    if (/^color\(srgb /.test(text)) return [...numbers.slice(0, 3), numbers[3] ?? 1];
    return null;
  };
  const toSrgb = (text) => {
    if (resolved.has(text)) return resolved.get(text);
    const plain = text.trim() === '' ? null : serialized(text);
    let color = plain === null ? null : components(plain);
    if (plain !== null && color === null) {
      const converted = serialized(`color(from ${plain} srgb r g b / alpha)`);
      color = converted === null ? null : components(converted);
    }
    if (color !== null && !color.every(Number.isFinite)) color = null;
    resolved.set(text, color);
    return color;
  };

  // Every (element, property) pair of which something was asked.
  const pairs = nodes.flatMap((node, index) => (
    node === null ? [] : request.properties[index].map((property) => ({node, index, property}))));
  const valuesOf = (wanted) => {
    let [node, map] = [null, null];
    return wanted.map((pair) => {
      if (pair.node !== node) [node, map] = [pair.node, styleMapOf.call(pair.node)];
      return valueOf(map, pair.property);
    });
  };

  const elements = nodes.map((node) => (node === null ? null : {bindings: {}, custom_properties: {}, computed_colors: {}}));
  for (const {node, index, property} of pairs) {
    if (!/color$|^fill$|^stroke$/.test(property)) continue;
    elements[index].computed_colors[property] = toSrgb(getComputedStyle(node).getPropertyValue(property));
  }

  const before = Array.from(sheetsOf.get.call(document));
  const [quiet, pin, probe] = [new CSSStyleSheet(), new CSSStyleSheet(), new CSSStyleSheet()];
  const stay = `${anything}, ${anything}::before, ${anything}::after`;
  quiet.replaceSync(`${stay} { transition: none !important }`);
  sheetsOf.set.call(document, [...before, quiet, pin, probe]);

  const defined = (node, name) => getComputedStyle(node).getPropertyValue(name) !== '';
  const override = (names, round) => {
    const declarations = names.map(({name, kind}) => `${name}: ${probes[kind][round]} !important`);
    probe.replaceSync(`${anything} { ${declarations.join('; ')} }`);
  };
  const moved = [];                           // {node, index, property, name}
  /**
   * Which of the pairs move with which custom property. First all at once, then each alone on what moved at all.
   * follows(pair, value): whether a value that moved only shows the text colour, which moved.
   */
  const sweep = (wanted, follows) => {
    const base = valuesOf(wanted);
    const suspects = new Set();
    for (const round of [0, 1]) {
      override(request.custom_properties, round);
      valuesOf(wanted).forEach((value, i) => { if (value !== base[i]) suspects.add(i); });
    }
    probe.replaceSync('');
    const touched = [...suspects].sort((a, b) => a - b).map((i) => ({...wanted[i], base: base[i]}));
    const byNode = new Map();
    for (const pair of touched) {
      if (byNode.has(pair.node)) byNode.get(pair.node).push(pair);
      else byNode.set(pair.node, [pair]);
    }
    const candidates = request.custom_properties.map((custom) => (
      [...byNode].flatMap(([node, list]) => (defined(node, custom.name) ? list : []))));
    request.custom_properties.forEach((custom, i) => {
      let rest = candidates[i];
      for (const round of [0, 1]) {
        if (rest.length === 0) return;
        override([custom], round);
        const values = valuesOf(rest);
        rest = rest.filter((pair, k) => {
          if (values[k] === pair.base || follows(pair, values[k])) return true;
          moved.push({...pair, name: custom.name});
          return false;
        });
      }
    });
    probe.replaceSync('');
  };

  if (request.custom_properties.length > 0 && pairs.length > 0) {
    sweep(pairs.filter(({property}) => property === 'color'), () => false);
    // What merely follows currentcolor must not read as bound to what the text colour is bound to. An inline
    // !important resists the pin: there, what shows the same as the text colour before and after follows it.
    pin.replaceSync(`${anything} { color: ${PINNED} !important }`);
    const colorOf = (node) => valueOf(styleMapOf.call(node), 'color');
    const free = new Map(nodes.filter((node) => node !== null).map((node) => [node, colorOf(node)])
      .filter(([, color]) => color !== PINNED));
    sweep(pairs.filter(({property}) => property !== 'color'), ({node, base}, value) => (
      free.has(node) && base === free.get(node) && value === colorOf(node)));
    pin.replaceSync('');
  }

  // Inherited: the element shows what its parent is forced to. Parents are reached by the parity of their depth.
  const depthOf = (node) => {
    let depth = 0;
    for (let at = parentOf.call(node); at !== null; at = parentOf.call(at)) depth += 1;
    return depth;
  };
  const heirs = moved.filter(({property}) => inheritable.has(property)).map((pair) => ({...pair, depth: depthOf(pair.node)}));
  const inherits = new Map();                 // node -> Set of properties
  for (const parity of [0, 1]) {
    const asked = heirs.filter(({depth}) => depth % 2 !== parity);
    if (asked.length === 0) continue;
    const deepest = asked.reduce((most, {depth}) => Math.max(most, depth - 1), 0);
    const levels = [];
    for (let depth = parity; depth <= deepest; depth += 2) levels.push(`:root${' > *'.repeat(depth)}${anything}`);
    const names = [...new Set(asked.map(({property}) => property))];
    probe.replaceSync('');
    const free = valuesOf(asked);
    probe.replaceSync(`${levels.join(', ')} { ${names.map((name) => `${name}: ${forced[name]} !important`).join('; ')} }`);
    valuesOf(asked).forEach((value, i) => {
      const parent = parentOf.call(asked[i].node);
      if (parent === null || value === free[i] || value !== valueOf(styleMapOf.call(parent), asked[i].property)) return;
      const {node, property} = asked[i];
      inherits.set(node, (inherits.get(node) ?? new Set()).add(property));
    });
  }
  probe.replaceSync('');
  for (const {node, index, property, name} of moved) {
    const {bindings, custom_properties: values} = elements[index];
    bindings[name] ??= {changed: [], inherited: []};
    bindings[name].changed.push(property);
    if (inherits.get(node)?.has(property)) bindings[name].inherited.push(property);
    values[name] ??= {color: toSrgb(getComputedStyle(node).getPropertyValue(name))};
  }
  // Styles are flushed while transitions are still off, or taking the overrides away would start the page's own.
  void Document.prototype.querySelector.call(document, ':root').offsetWidth;
  sheetsOf.set.call(document, before);
  return {
    elements,
    declared_colors: Object.fromEntries(request.declared_colors.map((text) => [text, toSrgb(text)])),
  };
}
