// Codes of PushVerification, from the service worker to the page. They are in IndexedDB: the code
// may come while no page is open, and a service worker has no token to give it with.

const STORE = 'codes';

/** Stores a PushVerification (RFC 8620 7.2.2) until a page has given its code. */
export function keepCode({ pushSubscriptionId, verificationCode }) {
  return inStore('readwrite', (store) => store.put(verificationCode, pushSubscriptionId));
}

/** Resolves to the codes by the ids of subscriptions. */
export async function readCodes() {
  const [ids, codes] = await Promise.all([
    inStore('readonly', (store) => store.getAllKeys()),
    inStore('readonly', (store) => store.getAll()),
  ]);
  return new Map(ids.map((id, index) => [id, codes[index]]));
}

export function removeCode(pushSubscriptionId) {
  return inStore('readwrite', (store) => store.delete(pushSubscriptionId));
}

async function inStore(mode, act) {
  const opening = indexedDB.open('push', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await resultOf(opening);
  try {
    return await resultOf(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
