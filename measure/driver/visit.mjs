/** One visit: one page at one breakpoint, from the first request to the last event. Facts only. */
import {fireShots} from './firing.mjs';
import {LIMITS, NAVIGATIONS, Unmeasurable} from './limits.mjs';
import {DocumentLost, Page} from './page.mjs';

const SETTLING = LIMITS.load + LIMITS.fonts + LIMITS.pause + LIMITS.rest + LIMITS.answer;

/**
 * job: {url, breakpoint, elements: [{index, selector, properties, interactions}]}.  tokens: what readTokens needs
 * beyond the elements.
 * Returns {facts: {fonts, layout_stable, colors, elements}, declared_colors}.  Raises Unmeasurable.
 */
export async function visit(browser, job, tokens, budget) {
  const pages = [];
  const show = async (...how) => {
    const page = await Page.open(browser, job.breakpoint, budget);
    pages.push(page);
    return {page, ...await load(page, job, ...how)};
  };
  try {
    const request = {...tokens, properties: job.elements.map(({properties}) => properties)};
    const {page, measured, shots} = await show(request, job.elements, (facts) => shotsOf(job.elements, facts));
    if (shots.length > 0) {
      const found = await fireShots(page, shots, async (numbers) => {
        const wanted = numbers.map((number) => shots[number]);
        return (await show(null, wanted.map(({node}) => job.elements[node]), () => wanted)).page;
      });
      shots.forEach((shot, number) => Object.assign(shot.interaction, found[number]));
    }
    const elements = measured.elements.map((fact, i) => ({element: job.elements[i].index, ...fact}));
    const {fonts, layout_stable, colors, declared_colors} = measured;
    return {facts: {fonts, layout_stable, colors, elements}, declared_colors};
  } finally {
    for (const page of pages) void page.close();
  }
}

/**
 * Shows the page, waits for rest, reads it and aims at it; all of it again where it navigated itself meanwhile.
 * needed: the elements that are waited for.  choose(facts): the shots to aim at.
 */
async function load(page, job, tokens, needed, choose) {
  const limits = {load: LIMITS.load, fonts: LIMITS.fonts, pause: LIMITS.pause, rest: LIMITS.rest};
  const elements = job.elements.map(({selector, interactions}) => ({selector, interactions}));
  const awaited = needed.map(({selector}) => selector);
  await page.navigate(job.url);
  for (let navigations = 0; navigations <= NAVIGATIONS; navigations += 1) {
    page.checkDocument(job.url);
    try {
      const measured = JSON.parse(await page.call('measure', [elements, awaited, limits, tokens], SETTLING));
      page.checkDocument(job.url);
      if (measured.width !== job.breakpoint.width) {
        throw new Unmeasurable('page', `the layout viewport is ${measured.width} px wide, expected ${job.breakpoint.width} px (<meta name="viewport" content="width=device-width"> lets it follow)`);
      }
      const shots = choose(measured.elements);
      for (const {node} of shots) {
        if (measured.elements[node].matches > 0) continue;
        throw new Unmeasurable('firing', `the selector ${job.elements[node].selector} matches nothing when the page is loaded anew; expected the same page each time`);
      }
      if (shots.length > 0) await page.aim(shots);
      return {measured, shots};
    } catch (error) {
      if (!(error instanceof DocumentLost)) throw error;
    }
  }
  throw new Unmeasurable('navigation', `the page navigated itself more than ${NAVIGATIONS} times; expected it to come to rest on one document`);
}

/** Elements without static evidence first: should a handler wreck the page, the least evidence is lost. */
function shotsOf(requested, facts) {
  const shots = facts.flatMap((fact, node) => (fact.interactions ?? []).map((interaction, i) => ({
    node, interaction, events: requested[node].interactions[i].events, proven: interaction.inline_attribute || fact.opt_in})));
  return [...shots.filter(({proven}) => !proven), ...shots.filter(({proven}) => proven)];
}
