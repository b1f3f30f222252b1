/**
 * Runs in the isolated world, synchronously: which custom properties the computed values of each element go through,
 * and what colours it shows. Nothing of the page is changed that is not changed back before this function returns,
 * and no script of the page runs meanwhile.
 *
 * nodes: the elements measured (null where there is none).
 * request: {properties: [[…] per node], custom_properties: [{name, kind}], inherited_properties: [...],
 *           declared_colors: [...]}.
 * Returns {elements: [{bindings: {name: {changed, inherited}}, custom_properties: {name: {color}}, computed_colors}],
 *          colors: [[r, g, b, alpha]], declared_colors: {text: [r, g, b, alpha] or null}}; colours in sRGB, 0 to 1. Of
 * an element, they are indexes into `colors`, for a page shows few, many times; null is none.
 *
 * A binding is measured: each custom property is overridden everywhere through a constructed stylesheet, and the
 * computed values (computedStyleMap, so that layout does not leak in) are read before and after.
 */
export function readTokens(nodes, request) {
  // No element has two ids, so this matches everything; it weighs the most that the browser counts, ids and classes.
  // The same ones over and over: the browser keeps a list of all that selectors name, and makes it anew for each change.
  const anything = `:not(#arbiter${'#probe'.repeat(254)}${'.probe'.repeat(255)})`;
  const PINNED = 'rgb(17, 19, 23)';
  // Values that no page uses: `shown` is a different one for each custom property, so that a computed value tells which
  // one it shows; `written` is the same as no browser serializes it, so that what comes back as it was written belongs
  // to a property that is not registered; `other` is for lengths and numbers that min() or max() hides.
  const length = {shown: (i) => `${1021 + i % 8000}.5px`, written: (shown) => shown.replace('px', '0px')};
  const probes = {
    color: {shown: (i) => `rgb(3, ${251 - (i >> 8)}, ${i % 256})`, written: (shown) => shown.replaceAll(' ', ''), other: 'rgb(249, 5, 247)'},
    length: {...length, other: '0.015625px'},
    number: {shown: (i) => `${137 + i % 800}`, written: (shown) => `${shown}.0`, other: '0.0625'},
    family: {shown: (i) => `"arbiter probe ${i}"`, written: (shown) => shown, other: '"arbiter probe"'},
    any: {...length, other: '137'},
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

  // A page shows few values, many times.
  const once = (of) => {
    const known = new Map();
    return (text) => {
      if (!known.has(text)) known.set(text, of(text));
      return known.get(text);
    };
  };
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
  const toSrgb = once((text) => {
    const plain = text.trim() === '' ? null : serialized(text);
    let color = plain === null ? null : components(plain);
    if (plain !== null && color === null) {
      const converted = serialized(`color(from ${plain} srgb r g b / alpha)`);
      color = converted === null ? null : components(converted);
    }
    return color !== null && color.every(Number.isFinite) ? color : null;
  });

  const colors = [];
  const indexes = new Map();                  // by the colour, not by its text: many texts are one colour
  const indexOf = once((text) => {
    const color = toSrgb(text);
    if (color === null) return null;
    if (!indexes.has(String(color))) indexes.set(String(color), colors.push(color) - 1);
    return indexes.get(String(color));
  });

  const isColor = (property) => /color$|^fill$|^stroke$/.test(property);

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
    if (!isColor(property)) continue;
    elements[index].computed_colors[property] = indexOf(getComputedStyle(node).getPropertyValue(property));
  }

  const before = Array.from(sheetsOf.get.call(document));
  const [quiet, pin, probe] = [new CSSStyleSheet(), new CSSStyleSheet(), new CSSStyleSheet()];
  const stay = `${anything}, ${anything}::before, ${anything}::after`;
  quiet.replaceSync(`${stay} { transition: none !important }`);
  sheetsOf.set.call(document, [...before, quiet, pin, probe]);

  const customs = request.custom_properties.map(({name, kind}, i) => {
    const shown = probes[kind].shown(i);
    return {name, shown, rounds: [probes[kind].written(shown), probes[kind].other], registered: false};
  });
  const showing = new Map(customs.map((custom) => [custom.shown, custom]));
  for (const custom of customs) if (showing.get(custom.shown) !== custom) showing.delete(custom.shown);   // not its own
  const override = (overridden, round) => {
    const declarations = overridden.map(({name, rounds}) => `${name}: ${rounds[round]} !important`);
    probe.replaceSync(`${anything} { ${declarations.join('; ')} }`);
  };
  const withoutWriting = once((text) => text.replace(/\/\*.*?\*\//gs, '').replace(/\s+/g, ' ').toLowerCase());
  // The values that custom properties have on a node, without what two writings of one value differ in.
  const definedOn = new Map(nodes.filter((node) => node !== null).map((node) => {
    const style = getComputedStyle(node);
    const texts = customs.map(({name}) => withoutWriting(style.getPropertyValue(name)));
    return [node, new Map(customs.map((custom, i) => [custom, texts[i]]).filter(([, text]) => text !== ''))];
  }));
  /**
   * The custom properties that a value may go through, where it shows the probe of `direct`: var() is replaced by text,
   * so whatever `direct` itself goes through is part of its text. A registered one has lost that text.
   */
  const behind = (node, direct) => {
    const texts = definedOn.get(node);
    const own = texts.get(direct);
    if (direct.registered) return [...texts.keys()];
    return [...texts].filter(([custom, text]) => custom !== direct && (custom.registered || own.includes(text))).map(([custom]) => custom);
  };
  // What one round may not show: lengths and numbers, in min() and max().
  const hiding = request.custom_properties.some(({kind}) => kind !== 'color');
  const mayHide = (property) => hiding && !isColor(property);
  const moved = [];                           // {node, index, property, name}
  /**
   * Which of the pairs move with which custom property. First with all of them at once, which tells most; then each
   * alone, for what is behind another or mixed with others.
   * follows(pair, value): whether a value that moved only shows the text colour, which moved.
   */
  const sweep = (wanted, follows) => {
    const base = valuesOf(wanted);
    const open = new Map(customs.map((custom) => [custom, []]));   // custom property -> pairs to be tried with it alone
    let still = wanted.map((_, i) => i);
    for (const round of [0, 1]) {
      if (still.length === 0) break;
      override(customs, round);
      const values = valuesOf(still.map((i) => wanted[i]));
      if (round === 0) {
        const style = getComputedStyle(pairs[0].node);
        for (const custom of customs) custom.registered ||= style.getPropertyValue(custom.name) !== custom.rounds[0];
      }
      still = still.filter((at, i) => {
        if (values[i] === base[at]) return mayHide(wanted[at].property);
        const pair = {...wanted[at], base: base[at]};
        const direct = round === 0 && !follows(pair, values[i]) ? showing.get(values[i]) : undefined;
        const known = direct !== undefined && definedOn.get(pair.node).has(direct);
        if (known) moved.push({...pair, name: direct.name});
        const candidates = known ? behind(pair.node, direct) : definedOn.get(pair.node).keys();
        for (const custom of candidates) if (custom !== direct) open.get(custom).push(pair);
        return false;
      });
    }
    for (const [custom, tried] of open) {
      let rest = tried;
      for (const round of [0, 1]) {
        if (rest.length === 0) break;
        override([custom], round);
        const values = valuesOf(rest);
        rest = rest.filter((pair, i) => {
          if (values[i] === pair.base || follows(pair, values[i])) return true;
          moved.push({...pair, name: custom.name});
          return false;
        });
      }
    }
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
  const free = new Map(valuesOf(heirs).map((value, i) => [heirs[i], value]));
  for (const parity of [0, 1]) {
    const asked = heirs.filter(({depth}) => depth % 2 !== parity);
    if (asked.length === 0) continue;
    const deepest = asked.reduce((most, {depth}) => Math.max(most, depth - 1), 0);
    const levels = [];
    for (let depth = parity; depth <= deepest; depth += 2) levels.push(`:root${' > *'.repeat(depth)}${anything}`);
    const names = [...new Set(asked.map(({property}) => property))];
    probe.replaceSync(`${levels.join(', ')} { ${names.map((name) => `${name}: ${forced[name]} !important`).join('; ')} }`);
    const mapOf = once((node) => styleMapOf.call(node));
    valuesOf(asked).forEach((value, i) => {
      const {node, property} = asked[i];
      const parent = parentOf.call(node);
      if (parent === null || value === free.get(asked[i]) || value !== valueOf(mapOf(parent), property)) return;
      inherits.set(node, (inherits.get(node) ?? new Set()).add(property));
    });
  }
  probe.replaceSync('');
  for (const {node, index, property, name} of moved) {
    const {bindings, custom_properties: values} = elements[index];
    bindings[name] ??= {changed: [], inherited: []};
    bindings[name].changed.push(property);
    if (inherits.get(node)?.has(property)) bindings[name].inherited.push(property);
    values[name] ??= {color: indexOf(getComputedStyle(node).getPropertyValue(name))};
  }
  // Styles are flushed while transitions are still off, or taking the overrides away would start the page's own.
  void Document.prototype.querySelector.call(document, ':root')?.offsetWidth;
  sheetsOf.set.call(document, before);
  return {
    elements,
    colors,
    declared_colors: Object.fromEntries(request.declared_colors.map((text) => [text, toSrgb(text)])),
  };
}
