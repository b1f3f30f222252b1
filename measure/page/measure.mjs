/**
 * Runs in the isolated world, as a method of the object that holds the functions of this folder: waits for rest, then
 * reads everything in the same turn, so that no script of the page runs in between.
 *
 * elements: [{selector, interactions}].  awaited: the selectors that must be there and at rest.  tokens: the request of
 * readTokens, or null where only the nodes are wanted. The nodes are kept on the object for firing.
 *
 * Returns JSON: the browser takes ten times as long to hand over an object of so many values.
 */
export async function measure(elements, awaited, limits, tokens) {
  const rest = await this.settle(awaited, limits);
  const {nodes, facts} = this.readBoxes(elements);
  this.nodes = nodes;
  if (tokens === null) return JSON.stringify({...rest, elements: facts});
  const {elements: styles, ...colors} = this.readTokens(nodes, tokens);
  return JSON.stringify({...rest, ...colors, elements: facts.map((fact, index) => ({...fact, ...styles[index]}))});
}
