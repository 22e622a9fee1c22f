// The page: signs in, shows the list, follows changes, and subscribes to notifications.
import { Items } from './items.js';
import { Jmap, SignedOut } from './jmap.js';
import { followChanges } from './one-stream.js';
import {
  findObstacle,
  giveCodes,
  isWanted,
  keepSubscribed,
  subscribe,
  unsubscribe,
} from './push.js';

/** The types that the page is told of. Each further one means more pushes, and more notifications. */
const TYPES = ['Item'];
/**
 * The token is in sessionStorage: each tab has its own, and it is gone when the tab is closed.
 * localStorage would keep it for any script that ever runs on this origin.
 */
const TOKEN = 'token';

const find = (selector) => document.querySelector(selector);
const say = (text) => {
  find('output').textContent = text;
};

let signedIn = null;

/** Runs what a click or a message asks for, and shows what fails. */
function run(act) {
  act().catch((error) => {
    if (error instanceof SignedOut) forget();
    say(error.message);
  });
}

async function signIn(token) {
  const { jmap: url } = await (await fetch('config.json')).json();
  const jmap = await Jmap.open(url, token);
  sessionStorage.setItem(TOKEN, token);
  const items = new Items(jmap);
  const end = new AbortController();
  signedIn = { jmap, items, end };
  render();
  const refresh = async () => {
    await items.refresh();
    render();
  };
  const { signal } = end;
  const onChange = (changed) => {
    if (items.isBehind(changed)) run(refresh);
  };
  // Listen first and read then: nothing falls between.
  run(() => followChanges({ jmap, types: TYPES, onChange, signal }));
  await refresh();
  await navigator.serviceWorker.register('service-worker.js', { type: 'module' });
  if (isWanted(jmap)) await keepSubscribed(jmap, TYPES);
  await giveCodes(jmap);
  render();
}

async function signOut() {
  const { jmap } = signedIn;
  try {
    await unsubscribe(jmap);
  } finally {
    forget();
  }
  say('');
}

/** Forgets the token, and what was read with it. */
function forget() {
  signedIn?.end.abort();
  signedIn?.items.close();
  signedIn = null;
  sessionStorage.removeItem(TOKEN);
  render();
}

function render() {
  find('#sign-in').hidden = signedIn !== null;
  find('main').hidden = signedIn === null;
  const items = signedIn?.items.all ?? [];
  find('ul').replaceChildren(
    ...items.map(({ text }) => {
      const line = document.createElement('li');
      line.textContent = text;
      return line;
    }),
  );
  if (signedIn === null) return;
  find('#notify').hidden = isWanted(signedIn.jmap);
  const obstacle = findObstacle(signedIn.jmap);
  find('#notify').disabled = obstacle !== null;
  find('#notify').title = obstacle ?? '';
}

find('#sign-in').onsubmit = (event) => {
  event.preventDefault();
  const { token } = event.target.elements;
  run(() => signIn(token.value.trim()));
  token.value = '';
};

find('#add').onsubmit = (event) => {
  event.preventDefault();
  const { text } = event.target.elements;
  run(() => signedIn.items.add(text.value));
  text.value = '';
};

find('#notify').onclick = () =>
  run(async () => {
    await subscribe(signedIn.jmap, TYPES);
    render();
  });

find('#sign-out').onclick = () => run(signOut);

navigator.serviceWorker.onmessage = ({ data }) =>
  run(async () => {
    if (signedIn === null) return;
    const { jmap } = signedIn;
    if (data === 'subscription' && isWanted(jmap)) await keepSubscribed(jmap, TYPES);
    if (data === 'code') await giveCodes(jmap);
  });

const token = sessionStorage.getItem(TOKEN);
if (token !== null) run(() => signIn(token));
