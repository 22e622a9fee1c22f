// Push subscriptions (RFC 8620 7.2): the browser's, which has a URL and keys, and the server's,
// which posts to them.
import { readCodes, removeCode } from './codes.js';
import { CORE } from './jmap.js';

const VAPID = 'urn:ietf:params:jmap:webpush-vapid';

/** Where this browser keeps its subscription on the server: `{ id, url, username }`. */
const STORED = 'push';
const DEVICE = 'device';

/** Says why this browser can't be notified; null: it can. */
export function findObstacle(jmap) {
  if (!('PushManager' in globalThis)) {
    return 'This browser has no push. On an iPhone, add the page to the home screen.';
  }
  if (Notification.permission === 'denied') return 'You have forbidden notifications here.';
  if (keyOf(jmap) === null) return 'The server signs no pushes: start it with PUSH_CONTACT.';
  return null;
}

/** True where this user wants to be notified in this browser. */
export function isWanted({ session }) {
  return readStored()?.username === session.username;
}

/** Asks the user, and subscribes. Call it on a click: browsers refuse to ask at other times. */
export async function subscribe(jmap, types) {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('Notifications are not allowed.');
  }
  await keepSubscribed(jmap, types);
}

/**
 * Makes the browser's subscription and the server's agree. Call it at each start of the page: the
 * server's expires, the browser may have replaced its own, and the key of the server may be new.
 */
export async function keepSubscribed(jmap, types) {
  for (let tries = 0; tries < 3; tries += 1) {
    const key = keyOf(jmap);
    const subscription = await subscribeBrowser(jmap, key);
    await tellServer(jmap, subscription, types);
    // The key may have changed meanwhile. The answers then name another state of the session.
    if (jmap.isStale) await jmap.readSession();
    if (keyOf(jmap) === key) return;
  }
  throw new Error('The key of the server changes all the time.');
}

/** Gives the server the codes that the service worker has received. One tab does it. */
export async function giveCodes(jmap) {
  await navigator.locks.request('codes', async () => {
    for (const [id, verificationCode] of await readCodes()) {
      await change(jmap, { update: { [id]: { verificationCode } } });
      await removeCode(id);
    }
  });
}

/** Ends both subscriptions. Call it when the user signs out, while the token is still good. */
export async function unsubscribe(jmap) {
  const stored = readStored();
  localStorage.removeItem(STORED);
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
  if (stored !== null) await change(jmap, { destroy: [stored.id] });
}

/** The key that signs the server's pushes (RFC 9749), or null. */
function keyOf({ session }) {
  return session.capabilities[VAPID]?.applicationServerKey ?? null;
}

/**
 * Returns the browser's subscription for a key. A browser has one, and can't change its key. One of
 * another user ends: the push service then refuses the pushes that are meant for that user.
 */
async function subscribeBrowser(jmap, key) {
  if (key === null) throw new Error('The server signs no pushes.');
  const { pushManager } = await navigator.serviceWorker.ready;
  const present = await pushManager.getSubscription();
  if (present !== null) {
    const isOfKey = toBase64url(present.options.applicationServerKey) === key;
    if (isOfKey && isWanted(jmap)) return present;
    await present.unsubscribe();
  }
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

/** Renews the server's subscription where it has this URL, or makes one and ends the one before. */
async function tellServer(jmap, subscription, types) {
  const { endpoint: url, keys } = subscription.toJSON();
  const deviceClientId = readDevice();
  const { list } = await jmap.call(CORE, 'PushSubscription/get', { ids: null });
  const own = list.filter((each) => each.deviceClientId === deviceClientId);
  const stored = readStored();
  if (stored?.url === url && own.some(({ id }) => id === stored.id)) {
    // Null asks for the longest time that the server gives.
    await change(jmap, { update: { [stored.id]: { expires: null, types } } });
    return;
  }
  const { created } = await change(jmap, {
    create: { k: { deviceClientId, url, keys, types } },
    destroy: own.map(({ id }) => id),
  });
  const { username } = jmap.session;
  localStorage.setItem(STORED, JSON.stringify({ id: created.k.id, url, username }));
}

/** Changes subscriptions; throws where the server refuses to create one. */
async function change(jmap, args) {
  const answer = await jmap.call(CORE, 'PushSubscription/set', args);
  const refused = answer.notCreated?.k;
  if (refused) throw new Error(`${refused.type}: ${refused.description}`);
  return answer;
}

function readStored() {
  return JSON.parse(localStorage.getItem(STORED));
}

/** Returns a random name of this browser, the same for each visit (RFC 8620 7.2). */
function readDevice() {
  const device = localStorage.getItem(DEVICE) ?? crypto.randomUUID();
  localStorage.setItem(DEVICE, device);
  return device;
}

function toBase64url(buffer) {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
