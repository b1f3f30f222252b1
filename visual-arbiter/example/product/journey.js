"use strict";

/** Listens on `owner` for events on elements that match `selector`, and leaves the mark that the handler really ran. */
function when(type, owner, selector, handle) {
  owner?.addEventListener(type, (event) => {
    const target = selector ? event.target.closest(selector) : owner;
    if (!target) return;
    handle(target, event);
    target.__arbiter_handler_ran = true;
  });
}

const byId = (id) => document.getElementById(id);

function select(chosen, attribute) {
  for (const sibling of chosen.parentElement.children) sibling.setAttribute(attribute, String(sibling === chosen));
}

/* ------------------------------------------------------------- route */

function showStop(stop) {
  select(stop, "aria-current");
  byId("notice").textContent = stop.dataset.notice;
}

function toggleSaved(button) {
  const saved = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(saved));
  button.textContent = saved ? "Saved" : "Save route";
}

let fahrenheit = false;

function switchUnits() {
  fahrenheit = !fahrenheit;
  byId("units").innerHTML = fahrenheit ? "°C / <b>°F</b>" : "<b>°C</b> / °F";
  for (const cell of document.querySelectorAll("[data-celsius]")) {
    const celsius = Number(cell.dataset.celsius);
    cell.textContent = fahrenheit ? `${Math.round(celsius * 1.8 + 32)} °F` : `${celsius} °C`;
  }
}

when("click", byId("start"), null, () => showStop(byId("stops").firstElementChild));
when("click", byId("stops"), ".stop", showStop);
when("keydown", byId("stops"), ".stop", (stop, event) => { if (event.key === "Enter") showStop(stop); });
// The button says data-arbiter-wired itself, so its handler leaves no mark.
byId("units")?.addEventListener("click", switchUnits);

/* ---------------------------------------------------------- forecast */

function showDay(day) {
  select(day, "aria-selected");
  byId("depart").textContent = `Leave at ${day.dataset.depart}`;
  const highs = day.dataset.highs.split(" ").map(Number);
  const dry = new Set(day.dataset.dry.split(" ").map(Number));
  [...byId("hours").children].forEach((hour, index) => {
    hour.classList.toggle("dry", dry.has(index));
    hour.style.setProperty("--rise", `${highs[index] * 8}px`);
    hour.querySelector("b").textContent = `${highs[index]}°`;
  });
}

when("click", byId("days"), ".day", showDay);
when("change", byId("pack-jacket"), null, (box) => { box.title = box.checked ? "Packed" : ""; });
when("click", byId("remind"), null, (button) => {
  const set = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(set));
  button.textContent = set ? "We will remind you" : "Remind me the evening before";
});
