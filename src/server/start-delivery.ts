import { PushDeliveryRows } from '../accounts/index.js';
import type { Authenticator, Principal } from '../accounts/principal.js';
import type { DeliveryRow, UnverifiedRow } from '../accounts/push-delivery.js';
import type { Channel, ChannelListener } from '../push/channel.js';
import type { Hub } from '../push/hub/hub.js';
import type { ChannelRequest, Push } from '../push/push.js';
import { Poster } from '../push/webpush/post.js';
import type { Authorize } from '../push/webpush/push-message.js';
import { Sender, type SenderCounts } from '../push/webpush/sender.js';
import { Vapid } from '../push/webpush/vapid.js';
import { readVapidKey, type VapidKey } from '../push/webpush/vapid-key.js';
import { type VerificationCounts, Verifier } from '../push/webpush/verifier.js';
import type { Engine } from './open-engine.js';
import { type PushParts, pushContact } from './open-push.js';

/** Puts together what posts to the URLs of push subscriptions (RFC 8620 7.2). */

export interface DeliveryCounts extends SenderCounts {
  readonly verifications: VerificationCounts;
}

export interface Delivery {
  /** Another process has created, changed or destroyed a subscription. */
  changed(id: string): void;
  /** Announcements of subscriptions may have been lost: looks for them, in a while. */
  compare(): void;
  counts(): DeliveryCounts;
  /** Begins no further push, and ends those that run for too long. */
  stop(): Promise<void>;
}

interface DeliveryOptions {
  readonly engine: Engine;
  readonly parts: PushParts;
  /** Opens the channels of subscriptions. */
  readonly push: Pick<Push, 'open'>;
  readonly hub: Hub;
  readonly authenticator: Pick<Authenticator, 'refresh' | 'refreshAll'>;
}

/** Doubts of so long, ms, are one look for subscriptions: it lists all of this process. */
const COMPARISON = 5000;
/** How long pushes that run may take at the end, ms. */
const GRACE = 2000;

/** Starts to push to the subscriptions that this process serves. */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { engine, parts, push, hub, authenticator } = options;
  const { config, log, storage } = engine;
  const { reach, pusher, sealer } = parts;
  // Ends of subscriptions are moments that clients were told, by the clock of the system.
  const now = Date.now;
  const poster = new Poster({ reach, ca: config.push.ca });
  const rows = new PushDeliveryRows({
    ...{ prisma: storage.prisma, sealer, now },
    signs: parts.vapid !== null,
    onExpired: (removed) => log.info({ removed }, 'push subscriptions have expired'),
    onUnusable: (id) => log.error({ id }, 'SECRETS_KEY does not decrypt a push subscription'),
  });
  const messages = { poster, authorize: authorizeBy(options) };
  const shared = { ...messages, shards: hub.shards, log, now };
  const sender = new Sender<DeliveryRow>({
    ...shared,
    rows,
    // One that was told nothing is told all.
    openChannel: (row, lastId, listener) => openChannel(options, row, lastId ?? '', listener),
    // Few statements fill the cache of the authenticator; each token alone takes as many.
    prepare: async (part) => {
      await authenticator.refreshAll(part.map(({ credential }) => credential));
    },
  });
  const verifier = new Verifier<UnverifiedRow>({ ...shared, rows });
  const announce = (id: string): void => {
    void sender.changed(id);
    hub.announceSubscription(id);
  };
  pusher.connect({
    readPresentStates: (principal, types) => readStates(push, principal, types),
    created: (id) => void verifier.created(id),
    changed: announce,
    removed(id) {
      sender.removed(id);
      hub.announceSubscription(id);
    },
  });
  void sender.start();
  let comparison: NodeJS.Timeout | null = null;
  return {
    changed: (id) => void sender.changed(id),
    compare() {
      comparison ??= setTimeout(() => {
        comparison = null;
        void sender.compare();
      }, COMPARISON).unref();
    },
    counts: () => ({ ...sender.counts(), verifications: verifier.counts() }),
    async stop() {
      clearTimeout(comparison ?? undefined);
      const deadline = performance.now() + GRACE;
      await Promise.all([sender.stop(deadline), verifier.stop(deadline)]);
      poster.close();
    },
  };
}

/** Opens the channel of a subscription; resolves to null where its token has ended. */
async function openChannel(
  { push, authenticator }: DeliveryOptions,
  { credential, types }: DeliveryRow,
  lastId: string | null,
  listener: ChannelListener,
): Promise<Channel | null> {
  const principal = await authenticator.refresh(credential);
  return principal && push.open(wishesOf(principal, types, lastId), listener);
}

/** Returns what a subscription wants of its channel; `types` null: all. */
function wishesOf(
  principal: Principal,
  types: readonly string[] | null,
  lastId: string | null,
): ChannelRequest {
  return { kind: 'subscription', principal, types: types && new Set(types), lastId };
}

/** Resolves to the id of the present states of types; null is all types. */
async function readStates(
  push: DeliveryOptions['push'],
  principal: Principal,
  types: readonly string[] | null,
): Promise<string> {
  const deaf = { wake: () => undefined, ended: () => undefined };
  const channel = await push.open(wishesOf(principal, types, null), deaf);
  const { id } = channel;
  channel.close();
  return id;
}

/** Signs by the keys of the database. Each is parsed once: there are few. */
function authorizeBy({ engine, parts }: DeliveryOptions): Authorize {
  const contact = pushContact(engine.config);
  const { vapid: keys } = parts;
  if (contact === null || keys === null) return async () => null;
  const vapid = new Vapid(contact, Date.now);
  const parsed = new Map<string, VapidKey>();
  return async (id, url) => {
    let key = parsed.get(id) ?? null;
    if (key === null) {
      const stored = await keys.find(id);
      key = stored && readVapidKey(stored.privateText);
      if (key === null) return null;
      parsed.set(id, key);
    }
    return vapid.authorize(key, url);
  };
}
