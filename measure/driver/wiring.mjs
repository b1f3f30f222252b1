/** Puts together what the browser and the page's frameworks know of the handlers of an element. Facts, no judgement. */

const MOST = 8;                               // delegated handlers, and listeners of ancestors, that are told of an event
const NAME = 100;                             // characters of an ancestor's name: tag and id are the page's
const SOURCE = 300;                           // a function that is longer than this is not empty

const PARAMETERS = String.raw`\([\w$,\s]*\)`;
const NOTHING = String.raw`\{(?:\s|/\*[^*]*\*/|//[^\n]*\n)*\}`;
const EMPTY = new RegExp(
  String.raw`^(?:async\s+)?(?:(?:function\b)?[\s*]*[\w$]*\s*${PARAMETERS}\s*|(?:${PARAMETERS}|[\w$]+)\s*=>\s*)${NOTHING}$`);
// What the browser makes of onclick="" is a function of its own, and so is a bound function, which has no name.
const EMPTY_ATTRIBUTE = /^function on[a-z]+\(\) \{ \[native code\] \}$/;
const BOUND = 'function () { [native code] }';

/** Whether a function with this source can do nothing: an inline handler of blanks, React's no-op for Safari. */
export const isEmpty = (source) => source.length <= SOURCE && (EMPTY.test(source) || EMPTY_ATTRIBUTE.test(source));

/**
 * shots: [{events, proven}].  survey: {above, shots: [{node, trapped, delegated}]}, as page/frameworks.mjs found it.
 * nodes: of the first indexes, those of the shots, {name, listeners} (plainListener).
 * pick(indexes): a promise of the same of others.  window: the same of the window.
 *
 * Returns for each shot {listeners, delegated, ancestor_listeners} as in measurement.v1.
 */
export async function wiringOf(shots, survey, nodes, pick, window) {
  const known = new Map(nodes.map((node, index) => [index, node]));
  const found = shots.map(({events, proven}, number) => {
    const {node, trapped, delegated: kept} = survey.shots[number];
    const listeners = known.get(node).listeners.filter(({type}) => events.includes(type)).map(({source, bound, ...listener}) => ({
      ...listener, inert: isEmpty(source) || (bound && trapped.includes(listener.type))}));
    const delegated = kept.filter(({source}) => !isEmpty(source));
    // Whose element has something of its own is not told what its ancestors have.
    const told = proven || delegated.length > 0 || listeners.some(({inert}) => !inert);
    return {events, listeners, delegated, around: told ? [] : ancestors(survey.above, node)};
  });
  const asked = new Set(found.flatMap(({delegated, around}) => [...around, ...delegated.flatMap(({roots}) => roots)]));
  const more = [...asked].filter((index) => !known.has(index));
  if (more.length > 0) (await pick(more)).forEach((node, i) => known.set(more[i], node));

  const isHeard = ({roots, heard_as: types}) => roots.some((root) => (
    known.get(root).listeners.some(({type, source}) => types.includes(type) && !isEmpty(source))));
  const namedIn = (events) => ({name, listeners}) => listeners
    .filter(({type, source}) => events.includes(type) && !isEmpty(source))
    .map(({type, capture}) => ({type, capture, on: name}));
  return found.map(({events, listeners, delegated, around}) => ({
    listeners,
    // Those that are heard come first: no forged one may push them out.
    delegated: unique(delegated.map((each) => (
      {framework: each.framework, type: each.type, handler: each.handler, heard: isHeard(each)})))
      .sort((a, b) => b.heard - a.heard).slice(0, MOST),
    ancestor_listeners: around.length === 0 ? [] : unique(
      [...around.map((index) => known.get(index)), window].flatMap(namedIn(events))).slice(0, MOST),
  }));
}

/** The indexes of a node's ancestors, the nearest first. */
function ancestors(above, node) {
  const path = [];
  for (let at = above[node]; at !== -1; at = above[at]) path.push(at);
  return path;
}

const unique = (list) => [...new Map(list.map((each) => [JSON.stringify(each), each])).values()];

/** What a person calls a node, out of its deep serialization. */
export const nameOf = ({nodeType, localName, attributes}) => (
  nodeType === 9 ? 'document' : `${localName ?? 'fragment'}${attributes?.id ? `#${attributes.id}` : ''}`.slice(0, NAME));

/** Out of a listener as DOMDebugger lists it: source is that of the function which is called in the end. */
export const plainListener = ({type, useCapture, passive, once, handler, originalHandler}) => ({
  type, capture: useCapture, passive, once, source: handler?.description ?? '', bound: originalHandler?.description === BOUND});
