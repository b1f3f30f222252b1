import {render} from 'solid-js/web';
import {createSignal} from 'solid-js';
import {handle, later, place, stop} from './parts.js';

const [late, setLate] = createSignal({});
const App = () => (
  <>
    <button id="wired" onClick={handle}>wired</button>
    <button id="unwired">unwired</button>
    <button id="late" {...late()}>late</button>
    <div onClick={handle}><div onClick={stop}><button id="between">between</button></div></div>
    <form id="form" onSubmit={handle}></form>
    <form id="form-bare"></form>
    <input id="field" onInput={handle} />
  </>
);
render(App, place());
later(() => setLate({onClick: handle}));
