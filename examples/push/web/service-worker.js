// Runs while no page is open: shows notifications. It has no token, so it leaves to the page what
// needs one.
import { keepCode } from './codes.js';

/** A later notification replaces the one before: a push says that something changed, not what. */
const TAG = 'list';

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('push', (event) => event.waitUntil(receive(event.data)));

// The browser has replaced the subscription, or ended it. A page tells the server of the new one.
addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(askPages('subscription', 'Open the list, so that it can notify you again.'));
});

addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(showPage());
});

/** Takes a StateChange or a PushVerification. */
async function receive(data) {
  const message = parse(data);
  if (message['@type'] === 'PushVerification') {
    await keepCode(message);
    await askPages('code', 'Open the list once, so that it can notify you.');
    return;
  }
  // Always, also beside an open page: browsers end subscriptions whose pushes show nothing.
  await show('Something changed.');
}

/** Returns what was pushed; a push without JSON counts as a change. */
function parse(data) {
  try {
    return data.json();
  } catch {
    return {};
  }
}

/** Asks open pages to look. Where none is open, the user has to open one. */
async function askPages(what, text) {
  const pages = await clients.matchAll({ type: 'window' });
  for (const page of pages) page.postMessage(what);
  await show(pages.length > 0 ? 'Notifications are on.' : text);
}

function show(body) {
  return registration.showNotification('List', { body, tag: TAG });
}

async function showPage() {
  const [page] = await clients.matchAll({ type: 'window' });
  await (page === undefined ? clients.openWindow('/') : page.focus());
}
