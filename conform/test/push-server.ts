import {
  createCipheriv,
  createECDH,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Call } from '../src/client/answers.js';
import { asMap, type Json, type JsonMap, parseJson } from '../src/client/json.js';
import { CERTIFICATE } from './certificate.js';
import type { PushFlaw } from './push-flaws.js';

const URN = 'urn:example:pushed';
const VAPID = 'urn:ietf:params:jmap:webpush-vapid';
const DAY = 86_400_000;
const IMMUTABLE = ['url', 'keys', 'deviceClientId'];

/** The descriptor of the two types. */
export const PUSHED = {
  file: 'pushed.yaml',
  text: `capability: ${URN}\ntypes:${['Thing', 'Gizmo'].map(describeNamed).join('')}`,
};

/** Returns what a descriptor says of a type whose objects have a name. */
function describeNamed(type: string): string {
  return `
  ${type}:
    properties: { name: { type: string, maxLength: 100 } }
    required: [name]
    standardMethods: [get, set]`;
}

interface Row {
  readonly owner: string;
  readonly object: JsonMap;
  readonly code: string;
  isVerified: boolean;
}

/** A server with push subscriptions that others could have written, and at most one flaw. */
export class PushServer {
  readonly url: string;
  readonly #flaw: PushFlaw | null;
  readonly #close: () => void;
  readonly #objects = new Map<string, Map<string, JsonMap>>();
  readonly #states = new Map<string, number>();
  readonly #rows = new Map<string, Row>();
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  #next = 0;

  private constructor(url: string, flaw: PushFlaw | null, close: () => void) {
    this.#flaw = flaw;
    this.url = url;
    this.#close = close;
  }

  static async start(flaw: PushFlaw | null): Promise<PushServer> {
    let started: PushServer | undefined;
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        res.setHeader('content-type', 'application/json');
        const { authorization = '' } = req.headers;
        const { methodCalls } = asMap(parseJson(Buffer.concat(chunks).toString('utf8')));
        const answer = Array.isArray(methodCalls)
          ? started?.answer(methodCalls as never, authorization)
          : started?.session;
        res.end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    started = new PushServer(`http://127.0.0.1:${port}`, flaw, () => {
      server.close();
      server.closeAllConnections();
    });
    return started;
  }

  close(): void {
    this.#close();
  }

  /** How many subscriptions there are. */
  get count(): number {
    return this.#rows.size;
  }

  get session(): JsonMap {
    const told = { [URN]: {}, 'urn:ietf:params:jmap:core': {} };
    return {
      apiUrl: '/api',
      capabilities: { ...told, [VAPID]: { applicationServerKey: this.#publicKey } },
      accounts: { a: { isPersonal: true, isReadOnly: false, accountCapabilities: told } },
      primaryAccounts: {},
      state: 's',
    };
  }

  answer(calls: readonly Call[], owner: string): JsonMap {
    const methodResponses = calls.map(([name, args, id]): Json => {
      const [told, response] = this.#call(name, args as JsonMap, owner);
      return [told, response, id];
    });
    return { methodResponses, sessionState: 's' };
  }

  #is(flaw: PushFlaw): boolean {
    return this.#flaw === flaw;
  }

  #call(name: string, args: JsonMap, owner: string): [string, JsonMap] {
    if (name === 'Core/echo') return [name, args];
    if (name === 'PushSubscription/get') return this.#read(args, owner);
    if (name === 'PushSubscription/set') return this.#write(args, owner);
    const [type = '', verb = ''] = name.split('/');
    if (type !== 'Thing' && type !== 'Gizmo') return ['error', { type: 'unknownMethod' }];
    const all = this.#objects.get(type) ?? new Map<string, JsonMap>();
    this.#objects.set(type, all);
    const state = (): string => `s${this.#states.get(type) ?? 0}`;
    const ids = (args['ids'] ?? [...all.keys()]) as string[];
    if (verb === 'get') {
      const list = ids.flatMap((id) => all.get(id) ?? []);
      const notFound = ids.filter((id) => !all.has(id));
      return [name, { accountId: 'a', state: state(), list, notFound }];
    }
    const oldState = state();
    const created = Object.entries(asMap(args['create'])).map(
      ([key, object]): [string, JsonMap] => {
        const id = this.#newId();
        all.set(id, { ...asMap(object), id });
        return [key, { id }];
      },
    );
    const destroyed = ((args['destroy'] ?? []) as string[]).filter((id) => all.delete(id));
    this.#states.set(type, (this.#states.get(type) ?? 0) + 1);
    this.#push(type, state());
    const acts = { created: Object.fromEntries(created), destroyed };
    return [name, { accountId: 'a', oldState, newState: state(), ...acts }];
  }

  #newId(): string {
    this.#next += 1;
    return `p${this.#next}`;
  }

  #read(args: JsonMap, owner: string): [string, JsonMap] {
    const properties = (args['properties'] ?? []) as string[];
    const isPrivate = properties.some((name) => name === 'url' || name === 'keys');
    if (isPrivate && !this.#is('a /get answers the url that it is asked for'))
      return ['error', { type: 'forbidden' }];
    const rows = [...this.#rows].filter(([, one]) => this.#isSeen(one, owner));
    const ids = (args['ids'] ?? rows.map(([id]) => id)) as string[];
    const known = new Map(rows);
    const list = ids.flatMap((id): JsonMap[] => {
      const row = known.get(id);
      return row === undefined ? [] : [this.#show(row)];
    });
    const notFound = ids.filter((id) => !known.has(id));
    const state = this.#is('a /get answers a state') ? { state: '1' } : {};
    return ['PushSubscription/get', { list, notFound, ...state }];
  }

  #isSeen(row: Row, owner: string): boolean {
    return row.owner === owner || this.#is('all users see all subscriptions');
  }

  #show({ object, code }: Row): JsonMap {
    const { url, keys: _, ...shown } = object;
    if (this.#is('a /get answers the code before the client has it'))
      return { ...shown, verificationCode: code };
    return this.#is('each /get answers the url') ? { ...shown, url: url ?? '' } : shown;
  }

  #write(args: JsonMap, owner: string): [string, JsonMap] {
    if (args['ifInState'] !== undefined && this.#is('a /set takes ifInState'))
      return ['error', { type: 'stateMismatch' }];
    const [created, notCreated] = split(asMap(args['create']), (given) =>
      this.#create(asMap(given), owner),
    );
    const [updated, notUpdated] = split(asMap(args['update']), (patch, id) =>
      this.#update(id, asMap(patch), owner),
    );
    const destroyed: string[] = [];
    const notDestroyed: Record<string, Json> = {};
    for (const id of (args['destroy'] ?? []) as string[]) {
      const row = this.#rows.get(id);
      if (row === undefined || !this.#isSeen(row, owner)) notDestroyed[id] = { type: 'notFound' };
      else {
        destroyed.push(id);
        const stays =
          this.#is('what is destroyed stays') || this.#is('changes are pushed after a destroy');
        if (!stays) this.#rows.delete(id);
      }
    }
    const states = this.#is('a /set answers states') ? { oldState: '1', newState: '2' } : {};
    const made = { created, updated, destroyed, notCreated, notUpdated, notDestroyed };
    return ['PushSubscription/set', { ...made, ...states }];
  }

  /** Returns what a create is answered with, or why it is refused. */
  #create(given: JsonMap, owner: string): Judged {
    const { deviceClientId, url, keys = null, types = null, verificationCode = null } = given;
    const isUrl = /^https:\/\/./.test(String(url)) && URL.canParse(String(url));
    const { p256dh = '', auth = '' } = asMap(keys);
    const areKeys = keys === null || (String(p256dh).length === 87 && String(auth).length >= 22);
    if (!isUrl && !this.#is('any url will do')) return refuse('url');
    if (typeof deviceClientId !== 'string' && !this.#is('nobody needs a deviceClientId'))
      return refuse('deviceClientId');
    if (!areKeys && !this.#is('any keys will do')) return refuse('keys');
    if (verificationCode !== null && !this.#is('a create may have a code'))
      return refuse('verificationCode');
    if (!isListed(types) && !this.#is('types may be anything')) return refuse('types');
    const id = this.#newId();
    const code = this.#is('a code has four digits') ? '1234' : randomBytes(24).toString('hex');
    const expires = this.#cut(Date.now() + 365 * DAY);
    const object: JsonMap = {
      ...{ id, deviceClientId: deviceClientId ?? '', url: url ?? '', keys, types },
      ...{ expires, verificationCode: null },
    };
    this.#rows.set(id, { owner, object, code, isVerified: false });
    const pushSubscriptionId = this.#is('a verification names another subscription') ? 'x' : id;
    if (!this.#is('nothing is verified'))
      this.#send(object, {
        ...{ '@type': 'PushVerification', pushSubscriptionId, verificationCode: code },
      });
    const told = this.#is('a create is answered with the code') ? { verificationCode: code } : {};
    const end = this.#is('a subscription is made without an end') ? {} : { expires };
    return { told: { id, keys, ...end, ...told } };
  }

  /** Returns the time until which a subscription lasts that is to last until another. */
  #cut(end: number): string {
    const days = this.#is('a subscription lasts a day') ? 1 : 7;
    const most = this.#is('a subscription lasts six days') ? 6 : days;
    return `${new Date(Math.min(end, Date.now() + most * DAY)).toISOString().slice(0, 19)}Z`;
  }

  #update(id: string, patch: JsonMap, owner: string): Judged {
    const row = this.#rows.get(id);
    if (row === undefined || !this.#isSeen(row, owner)) return { error: { type: 'notFound' } };
    const fixed = IMMUTABLE.find((name) => name in patch);
    if (fixed !== undefined && !this.#is('all properties may be changed')) return refuse(fixed);
    const { verificationCode, types, expires } = patch;
    const isRight = verificationCode === row.code || this.#is('any code is right');
    if (verificationCode !== undefined && !isRight) return refuse('verificationCode');
    const told: Record<string, Json> = {};
    const { object } = row;
    if (types !== undefined && !this.#is('types stay as they are')) object['types'] = types;
    if (typeof expires === 'string') {
      object['expires'] = this.#cut(Date.parse(expires));
      if (object['expires'] !== expires && !this.#is('what becomes of expires is not told'))
        told['expires'] = object['expires'];
      if (this.#is('who changes expires has to give the code again')) row.isVerified = false;
    }
    if (verificationCode !== undefined) {
      row.isVerified = true;
      object['verificationCode'] = verificationCode;
    }
    return { told: Object.keys(told).length === 0 ? null : told };
  }

  /** Pushes a change of a type to all who want it. */
  #push(type: string, state: string): void {
    for (const { object, isVerified } of this.#rows.values()) {
      const { types, expires } = object;
      const isOver = Date.parse(String(expires)) < Date.now();
      if (isOver && !this.#is('changes are pushed after the end')) continue;
      const wants = types === null || (types as string[]).includes(type);
      if (!wants && !this.#is('all types are pushed')) continue;
      if (!isVerified && !this.#is('changes are pushed before the code is given')) continue;
      const told = this.#is('the states that are pushed are others') ? `${state}x` : state;
      const changed: JsonMap = this.#is('the accounts of others are pushed')
        ? { a: { [type]: told }, b: { [type]: told } }
        : { a: { [type]: told } };
      const isOther = this.#is('what is pushed has another @type');
      this.#send(object, { '@type': isOther ? 'Change' : 'StateChange', changed });
    }
  }

  get #publicKey(): string {
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' });
    const parts = [x, y].map((part) => Buffer.from(part, 'base64url'));
    return Buffer.concat([Buffer.of(4), ...parts]).toString('base64url');
  }

  /** Sends nothing where a flaw took a URL or keys that are none. */
  #send({ url, keys }: JsonMap, message: JsonMap): void {
    if (!URL.canParse(String(url)) || !String(url).startsWith('https:')) return;
    if (keys !== null && String(asMap(keys)['p256dh']).length !== 87) return;
    const target = new URL(String(url));
    const plain = Buffer.from(JSON.stringify(message));
    const isState = message['@type'] !== 'PushVerification';
    const isClear =
      keys === null ||
      this.#is('nothing is encrypted') ||
      (isState && this.#is('states are not encrypted'));
    const isStream = this.#is('pushes are octet streams');
    const req = request(target, {
      method: this.#is('pushes are put') ? 'PUT' : 'POST',
      ca: CERTIFICATE.cert,
      headers: {
        'content-type': isStream ? 'application/octet-stream' : 'application/json',
        ...(this.#is('pushes have no TTL') ? {} : { ttl: '60' }),
        ...(isClear ? {} : { 'content-encoding': 'aes128gcm' }),
        authorization: this.#sign(target.origin),
      },
    });
    req.on('error', () => undefined);
    req.end(isClear ? plain : this.#encrypt(plain, asMap(keys)));
  }

  /** Returns the header of RFC 8292. */
  #sign(origin: string): string {
    const days = this.#is('signatures are good for a week') ? 7 : 0.5;
    const encode = (part: object): string =>
      Buffer.from(JSON.stringify(part)).toString('base64url');
    const claims = {
      aud: this.#is('pushes are signed for another origin') ? 'https://example.com' : origin,
      exp: Math.floor((Date.now() + days * DAY) / 1000),
      sub: 'mailto:operator@example.com',
    };
    const unsigned = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`;
    const { privateKey } = this.#is('pushes are signed by another key')
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : this.#key;
    const signature = sign('sha256', Buffer.from(unsigned), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    const cut = this.#is('the signature of a push is cut') ? 40 : 64;
    const token = `${unsigned}.${signature.subarray(0, cut).toString('base64url')}`;
    return `vapid t=${token}, k=${this.#publicKey}`;
  }

  /** Encrypts as RFC 8291 says. */
  #encrypt(plain: Buffer, { p256dh, auth }: JsonMap): Buffer {
    const sender = createECDH('prime256v1');
    sender.generateKeys();
    const point = Buffer.from(String(p256dh), 'base64url');
    const isBare = this.#is('pushes are encrypted without auth');
    const salt = randomBytes(16);
    const derive = (secret: Buffer, from: Buffer, info: string | Buffer, length: number): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, from, info, length));
    const both = Buffer.concat([Buffer.from('WebPush: info\0'), point, sender.getPublicKey()]);
    const known = isBare ? Buffer.alloc(16) : Buffer.from(String(auth), 'base64url');
    const secret = derive(sender.computeSecret(point), known, both, 32);
    const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
    const cipher = createCipheriv('aes-128-gcm', key, nonce);
    const end = this.#is('records end with no delimiter') ? Buffer.of(0) : Buffer.of(2);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(4096);
    head.writeUInt8(65, 4);
    const sealed = [cipher.update(plain), cipher.update(end), cipher.final()];
    return Buffer.concat([salt, head, sender.getPublicKey(), ...sealed, cipher.getAuthTag()]);
  }
}

/** Describes how a create or an update ended. */
type Judged = { readonly told: JsonMap | null } | { readonly error: JsonMap };

const refuse = (property: string): Judged => ({
  error: { type: 'invalidProperties', properties: [property] },
});

const isListed = (types: Json): boolean =>
  types === null || (Array.isArray(types) && types.every((one) => typeof one === 'string'));

/** Judges each member. Returns what was done and what was refused. */
function split(
  map: JsonMap,
  judge: (value: Json, key: string) => Judged,
): [done: JsonMap, refused: JsonMap] {
  const done: Record<string, Json> = {};
  const refused: Record<string, Json> = {};
  for (const [key, value] of Object.entries(map)) {
    const judged = judge(value, key);
    if ('error' in judged) refused[key] = judged.error;
    else done[key] = judged.told;
  }
  return [done, refused];
}
