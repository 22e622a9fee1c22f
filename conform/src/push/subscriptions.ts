import { randomBytes } from 'node:crypto';
import { asMap, type Json, type JsonMap, parseJson } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import type { User } from '../subject/user.js';
import { UnexpectedError } from '../unexpected.js';
import { makeKeys, type PushKeys } from './decrypt.js';
import type { Inbox, Push, PushSink } from './sink.js';

const TYPE = 'PushSubscription';

/** No name of that end leads anywhere (RFC 6761): nobody gets pushes that a sink doesn't take. */
const NOWHERE = 'https://push.invalid/';

/** The errors by which a server keeps the number of subscriptions within bounds (RFC 8620 8.6). */
const LIMITED: ReadonlySet<unknown> = new Set(['overQuota', 'rateLimit']);

/** A subscription that the run made. */
export interface Subscription {
  readonly id: string;
  /** As it was sent, and what the answer said of it. */
  readonly sent: JsonMap;
  readonly told: JsonMap;
  readonly keys: PushKeys | null;
  /** Null where the runner has no sink. */
  readonly inbox: Inbox | null;
  /** The PushVerification, from when somebody waited for it. */
  verification?: Push;
  isVerified?: boolean;
}

/** The push subscriptions of a run (RFC 8620 7.2): few, for servers bound how many are made. */
export class Subscriptions {
  readonly sink: PushSink | null;
  readonly #user: User;
  readonly #made = new Map<string, Subscription>();
  readonly #claims = new Map<string, string>();
  #isKnown = false;

  constructor(user: User, sink: PushSink | null) {
    this.#user = user;
    this.sink = sink;
  }

  /** Calls PushSubscription/get, which must succeed. */
  get(args: object, user = this.#user): Promise<JsonMap> {
    return user.buildClient().ok(`${TYPE}/get`, args);
  }

  /** Calls PushSubscription/set, which must succeed, and takes note of what it made. */
  async set(args: object, user = this.#user): Promise<JsonMap> {
    await this.require();
    const response = await user.buildClient().ok(`${TYPE}/set`, args);
    const { fence } = this.#user.watching;
    for (const one of Object.values(asMap(response['created'])))
      fence.noteMade(TYPE, String(asMap(one)['id']));
    const destroyed = (response['destroyed'] ?? []) as readonly string[];
    fence.forget(TYPE, '', destroyed);
    for (const [name, { id }] of this.#made) if (destroyed.includes(id)) this.#made.delete(name);
    return response;
  }

  /** Looks which subscriptions there are. Throws NotApplicable where the server has none. */
  async require(): Promise<void> {
    if (this.#isKnown) return;
    const [name, response] = await this.#user.buildClient().call(`${TYPE}/get`, { ids: null });
    if (name === 'error' && response['type'] === 'unknownMethod')
      throw new NotApplicable(`The server has no ${TYPE}/get.`);
    const { list } = response;
    if (!Array.isArray(list))
      throw new UnexpectedError(`${TYPE}/get answered ${JSON.stringify(response)}`);
    this.#user.watching.fence.noteFound(TYPE, '', list as never);
    this.#isKnown = true;
  }

  /** Throws NotApplicable where no push could reach the runner. */
  requireSink(): void {
    if (this.sink === null)
      throw new NotApplicable('The server can’t reach the runner: --push-sink URL says how.');
  }

  /** Returns the values that a create has at least, with a URL that nobody else has. */
  describe(url = this.sink?.open().url ?? NOWHERE): { deviceClientId: string; url: string } {
    return { deviceClientId: `conform-${randomBytes(9).toString('base64url')}`, url };
  }

  /** Returns the subscription without keys, or with keys: it is made where there is none. */
  async find(kind: 'plain' | 'encrypted' = 'plain'): Promise<Subscription> {
    const known = this.#made.get(kind);
    if (known !== undefined) return known;
    await this.require();
    const inbox = this.sink?.open() ?? null;
    const keys = kind === 'encrypted' ? makeKeys() : null;
    const sent = { ...this.describe(inbox?.url), ...(keys === null ? {} : { keys: keys.told }) };
    const { created, notCreated } = await this.set({ create: { k: sent } });
    const told = asMap(asMap(created)['k']);
    if (typeof told['id'] !== 'string') throw this.#explain(asMap(asMap(notCreated)['k']));
    const subscription: Subscription = { id: told['id'], sent, told, keys, inbox };
    this.#made.set(kind, subscription);
    return subscription;
  }

  /** Waits for the PushVerification of a subscription. */
  async awaitVerification(one: Subscription): Promise<JsonMap> {
    one.verification ??= await this.take(one);
    return readPush(one, one.verification);
  }

  /** Returns a subscription that has its code. */
  async findVerified(kind: 'plain' | 'encrypted' = 'plain'): Promise<Subscription> {
    const one = await this.find(kind);
    if (one.isVerified === true) return one;
    const { verificationCode } = await this.awaitVerification(one);
    await this.update(one, { verificationCode: verificationCode ?? null });
    one.isVerified = true;
    return one;
  }

  /** Updates a subscription, which must succeed. Returns what the server says that it changed. */
  async update({ id }: Subscription, patch: JsonMap): Promise<JsonMap> {
    const { updated, notUpdated } = await this.set({ update: { [id]: patch } });
    if (!Object.hasOwn(asMap(updated), id))
      throw new UnexpectedError(`No update of ${TYPE}: ${JSON.stringify(notUpdated)}`);
    return asMap(asMap(updated)[id]);
  }

  /** Waits for the next request to the URL of a subscription. */
  async take({ inbox }: Subscription): Promise<Push> {
    this.requireSink();
    if (inbox === null) throw new Error('A sink that was there later has no such inbox.');
    const push = await inbox.take(this.#user.watching.wire.patience);
    const { method, headers, octets } = push;
    const shown = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    this.#user.watching.recorder.add({
      request: {
        line: `${method} ${inbox.url} (a push of the server)`,
        headers: Object.fromEntries(shown) as Record<string, string>,
        body: octets.toString('utf8'),
      },
      answer: { status: 201, headers: {}, body: '' },
    });
    return push;
  }

  /** Returns why a type needn't show a check: another of the run does. Null where it must. */
  claim(check: string, type: string): string | null {
    const first = this.#claims.get(check) ?? type;
    this.#claims.set(check, first);
    return first === type ? null : `One type is enough: ${first} shows it.`;
  }

  /** Destroys what the run made. Returns the ids of what could not be destroyed. */
  async tidy(): Promise<readonly string[]> {
    const { fence } = this.#user.watching;
    const destroy = fence.listMade(TYPE, '');
    if (destroy.length > 0) await this.set({ destroy }).catch(() => null);
    return fence.listMade(TYPE, '');
  }

  /** Returns the error of a create that was refused: some are no fault of the server's. */
  #explain(error: JsonMap): Error {
    const { type, properties } = error;
    const words = `The server refuses a push subscription: ${JSON.stringify(error)}.`;
    const isUrl = Array.isArray(properties) && properties.includes('url');
    if (LIMITED.has(type)) return new NotApplicable(words);
    if (this.sink === null && (isUrl || type !== 'invalidProperties'))
      return new NotApplicable(`${words} --push-sink URL names one that it reaches.`);
    return new UnexpectedError(words);
  }
}

/** Writes a time, in ms of the epoch, as a UTCDate of whole seconds (RFC 8620 1.4). */
export const writeDate = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** Returns the object of a push. Throws UnexpectedError where it can't be read. */
export function readPush({ keys }: Subscription, { octets, headers }: Push): JsonMap {
  const coding = headers['content-encoding'] ?? 'none';
  const wanted = keys === null ? 'none' : 'aes128gcm';
  if (coding !== wanted)
    throw new UnexpectedError(`The Content-Encoding is ${coding}, not ${wanted}.`);
  const text = (keys?.decrypt(octets) ?? octets).toString('utf8');
  const value: Json = parseJson(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new UnexpectedError(`A push is a JSON object, not ${text.slice(0, 200)}`);
  return value;
}
