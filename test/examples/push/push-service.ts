import type { BrowserContext, CDPSession } from 'playwright-core';
import { makeReceiver, type Receiver } from '../../push/webpush/receiver.js';
import type { Received, Respond } from '../../push/webpush/sink.js';

interface Device {
  /** The key that the browser subscribed with. */
  readonly key: string;
  readonly receiver: Receiver;
  isSubscribed: boolean;
}

/**
 * A push service for one browser, as far as RFC 8030 and 8292 go. It decrypts what the server
 * posts, which a browser does itself. The DevTools protocol brings it to the service worker.
 */
export class PushService {
  /** Texts that it has received, by path, whether delivered or not. */
  readonly texts = new Map<string, string[]>();
  /** It keeps messages, as for a device that is off, while this is true. */
  isHolding = false;
  /** Runs before a browser has its subscription. */
  onSubscribe: () => Promise<void> = async () => undefined;
  readonly #devices = new Map<string, Device>();
  readonly #held: string[] = [];
  #deliver: ((text: string) => Promise<void>) | undefined;

  get paths(): readonly string[] {
    return [...this.#devices.keys()];
  }

  subscribedPaths(): readonly string[] {
    return this.paths.filter((path) => this.#devices.get(path)?.isSubscribed);
  }

  /** Gives the pages of a browser a PushManager, and its service worker what is posted. */
  async connect(context: BrowserContext, origin: string, url: (path: string) => URL) {
    await context.exposeFunction('testSubscribe', async (key: string) => {
      await this.onSubscribe();
      return this.#subscribe(key, url);
    });
    await context.exposeFunction('testUnsubscribe', (endpoint: string) => {
      const device = this.#devices.get(new URL(endpoint).pathname);
      if (device !== undefined) device.isSubscribed = false;
    });
    await context.addInitScript({ path: `${import.meta.dirname}/push-manager.js` });
    // A page of its own: messages arrive where no page of the example is open, too.
    const session = await context.newCDPSession(await context.newPage());
    this.#deliver = await deliverer(session, origin);
  }

  /** Answers a POST as a push service does. */
  readonly respond: Respond = (request, response) => {
    const device = this.#devices.get(request.path);
    if (device === undefined || !device.isSubscribed) return void response.writeHead(410).end();
    const isSigned = request.headers.authorization?.endsWith(`, k=${device.key}`) ?? false;
    if (!isSigned) return void response.writeHead(403).end();
    response.writeHead(201).end();
    this.#take(request, device);
  };

  /** Delivers what it has kept. */
  async release(): Promise<void> {
    this.isHolding = false;
    for (const text of this.#held.splice(0)) await this.#deliver?.(text);
  }

  /** Gives a browser another endpoint, as browsers do now and then. */
  replace(key: string, url: (path: string) => URL) {
    for (const device of this.#devices.values()) device.isSubscribed = false;
    return this.#subscribe(key, url);
  }

  #subscribe(key: string, url: (path: string) => URL) {
    const receiver = makeReceiver();
    const path = `/device/${this.#devices.size}`;
    this.#devices.set(path, { key, receiver, isSubscribed: true });
    return { endpoint: url(path).href, keys: receiver.texts };
  }

  #take({ path, body }: Received, { receiver }: Device): void {
    const text = receiver.read(body);
    this.texts.set(path, [...(this.texts.get(path) ?? []), text]);
    if (this.isHolding) this.#held.push(text);
    else void this.#deliver?.(text);
  }
}

/** Returns a function that makes the browser fire `push` in the service worker of an origin. */
async function deliverer(session: CDPSession, origin: string) {
  let registrationId: string | undefined;
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const each of registrations)
      if (each.scopeURL === `${origin}/` && !each.isDeleted) registrationId = each.registrationId;
  });
  await session.send('ServiceWorker.enable');
  return async (data: string): Promise<void> => {
    if (registrationId === undefined) throw new Error('There is no service worker.');
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  };
}
