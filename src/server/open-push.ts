import {
  PushSubscriptionRows,
  pruneOrphans,
  sealSubscriptions,
  sealVapidKeys,
  VapidKeys,
} from '../accounts/index.js';
import type { Sealer } from '../accounts/push-port.js';
import type { Pusher, PushServices } from '../methods/push-subscription/services.js';
import { Reach } from '../outbound/network-reach.js';
import { parsePushUrl } from '../push/webpush/push-url.js';
import { parseSubscriptionKeys } from '../push/webpush/subscription-keys.js';
import { contactOf } from '../push/webpush/vapid.js';
import { makeVapidKey } from '../push/webpush/vapid-key.js';
import { type Config, ConfigError } from './config.js';
import type { Logger } from './logging.js';
import { createSealer } from './sealer.js';
import { PUSH } from './session-members.js';
import type { Storage } from './storage.js';

/** Puts together what serves push subscriptions (RFC 8620 7.2). */

/** The parts of the process that serve push subscriptions. */
export interface PushParts {
  readonly services: PushServices;
  readonly reach: Reach;
  /** Null: nothing signs pushes, for want of a contact. */
  readonly vapid: VapidKeys | null;
  readonly pusher: PusherRelay;
  readonly sealer: Sealer;
}

interface PushOptions {
  readonly config: Config;
  readonly storage: Storage;
  readonly typeNames: ReadonlySet<string>;
  readonly log: Logger;
}

/** Hands everything on to the part that pushes, once that has begun. */
export class PusherRelay implements Pusher {
  #to: Pusher | null = null;

  connect(to: Pusher): void {
    this.#to = to;
  }

  async readPresentStates(
    ...args: Parameters<Pusher['readPresentStates']>
  ): Promise<string | null> {
    return this.#to?.readPresentStates(...args) ?? null;
  }

  created(id: string): void {
    this.#to?.created(id);
  }

  changed(id: string): void {
    this.#to?.changed(id);
  }

  removed(id: string): void {
    this.#to?.removed(id);
  }
}

/** Returns the contact of this server for push services; null where none is configured. */
export function pushContact({ push, baseUrl }: Pick<Config, 'push' | 'baseUrl'>): string | null {
  return push.contact ?? (baseUrl === null ? null : contactOf(baseUrl.href));
}

/**
 * Encrypts anew what was stored without a SECRETS_KEY, and makes the first VAPID key. Throws
 * ConfigError where SECRETS_KEY doesn't decrypt the current one. Null where PUSH is off.
 */
export async function openPush(options: PushOptions): Promise<PushParts | null> {
  const { config, storage, typeNames, log } = options;
  if (!config.push.isOn) return null;
  const { prisma } = storage;
  const sealer = createSealer(config.secretsKey);
  await pruneOrphans(prisma);
  await bindPushSecrets(options, sealer);
  const vapid = pushContact(config) === null ? null : await openVapid(options, sealer);
  const vapidKey = (): string | null => vapid?.current?.id ?? null;
  const pusher = new PusherRelay();
  const onExpired = (id: string): void => pusher.removed(id);
  const rows = new PushSubscriptionRows({ prisma, sealer, vapidKey, onExpired, now: Date.now });
  const reach = new Reach(config.push);
  if (vapid === null)
    log.info('pushes are not signed: set PUSH_CONTACT, or BASE_URL to a public https URL');
  const services = { rows, pusher, capability: PUSH, typeNames, ...judgesOf(reach) };
  return { services, reach, vapid, pusher, sealer };
}

/** Returns what judges the URLs and keys that clients give. */
function judgesOf(reach: Reach): Pick<PushServices, 'judgeUrl' | 'leadsOutside' | 'judgeKeys'> {
  return {
    judgeUrl: (text) => {
      const url = parsePushUrl(text);
      return url instanceof URL ? null : `is not usable: it ${url.problem}`;
    },
    leadsOutside: (text) => reach.leadsOutside(new URL(text)),
    judgeKeys: (keys) => {
      const parsed = parseSubscriptionKeys(keys);
      if ('problem' in parsed) return `is not usable: "${parsed.at}" ${parsed.problem}`;
      const { p256dh, auth } = parsed;
      return { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
    },
  };
}

async function openVapid({ storage, log }: PushOptions, sealer: Sealer): Promise<VapidKeys> {
  const vapid = new VapidKeys({
    ...{ prisma: storage.principals, sealer, makeKey: makeVapidKey },
    onUnusable: (id) => log.error({ id }, 'SECRETS_KEY does not decrypt a VAPID key'),
  });
  await vapid.open();
  if (vapid.current !== null) return vapid;
  throw new ConfigError(
    'SECRETS_KEY',
    '',
    'the key that the VAPID key of the database was encrypted with; without it, ' +
      'push rotate-key makes another one',
  );
}

async function bindPushSecrets(
  { config, storage, log }: PushOptions,
  sealer: Sealer,
): Promise<void> {
  if (config.secretsKey === null) return;
  const keys = await sealVapidKeys(storage.prisma, sealer);
  const subscriptions = await sealSubscriptions(storage.prisma, sealer);
  if (keys + subscriptions > 0)
    log.info({ keys, subscriptions }, 'secrets of push subscriptions encrypted');
}
