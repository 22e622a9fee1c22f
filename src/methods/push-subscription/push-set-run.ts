import type { PushSubscriptionSetResponse } from '../../../generated/core/methods.js';
import type {
  PushSubscription,
  PushSubscriptionChange,
  PushTransaction,
} from '../../accounts/push-port.js';
import { formatUtcDate } from '../../protocol/dates.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { finish } from '../../runtime/paused-work.js';
import { runInSlices, type Slices } from '../../runtime/slices.js';
import type { StoredObject } from '../../store/port.js';
import type { CallContext, CreatedIds } from '../context.js';
import type { PlannedUpdate, SetPlan } from '../set/plan-set.js';
import { notFound } from '../set/proposed-changes.js';
import { creationReport, dropEqual, expectedBy, updateReport } from '../set/report.js';
import { updateObject } from '../set/update.js';
import { clock } from '../states.js';
import { CreationLimits } from './creation-limits.js';
import { judgeCode } from './judge-code.js';
import { endOf, tokenEndOf } from './lifetime.js';
import { distinct, HAS_PASSED, namesOf, type PlannedSubscription, timeOf } from './plan-creates.js';
import type { Pusher } from './services.js';
import { objectOf } from './subscription-object.js';

export interface PushSetScene {
  readonly plan: SetPlan;
  readonly creates: readonly PlannedSubscription[];
  readonly context: CallContext;
  readonly transaction: PushTransaction;
}

/** A subscription while the call changes it. */
interface Known {
  readonly subscription: Pick<
    PushSubscription,
    'code' | 'isVerified' | 'wrongCodes' | 'wrongSince'
  >;
  /** As the client knows it before its updates. */
  readonly before: StoredObject;
  readonly after: StoredObject;
  readonly patches: readonly JsonObject[];
  /** The call has created it. */
  readonly isNew: boolean;
}

/** One PushSubscription/set within its transaction. */
export class PushSetRun {
  readonly #scene: PushSetScene;
  readonly #now: number;
  readonly #slices: Slices;
  readonly #known = new Map<string, Known>();
  /** Ids that the call destroys. */
  readonly #going = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #created = new Map<string, string>();
  readonly #answer = {
    created: emptyObject<JsonObject>(),
    updated: emptyObject<JsonObject | null>(),
    destroyed: [] as readonly string[],
    notCreated: emptyObject<SetError>(),
    notUpdated: emptyObject<SetError>(),
    notDestroyed: emptyObject<SetError>(),
  };

  constructor(scene: PushSetScene) {
    this.#scene = scene;
    this.#now = clock(scene.context.services);
    this.#slices = scene.context.startSlices(true);
  }

  get createdIds(): CreatedIds {
    return this.#created;
  }

  /** Makes all changes; resolves to the response. */
  async apply(): Promise<PushSubscriptionSetResponse> {
    const { plan, transaction } = this.#scene;
    await this.#create();
    await this.#read();
    for (const { key, id } of plan.destroys) {
      if (this.#known.has(id)) this.#going.add(id);
      else this.#answer.notDestroyed[key] = notFound(key);
    }
    for (const update of plan.updates) {
      const error = await this.#update(update);
      if (error !== null) this.#answer.notUpdated[update.key] = error;
    }
    for (const [id, { before, after, patches }] of this.#known) {
      if (patches.length === 0) continue;
      const expected = await runInSlices(expectedBy(before, patches), this.#slices);
      const report = updateReport(plan.index, expected, { before, after }, false);
      this.#answer.updated[id] = await runInSlices(report, this.#slices);
    }
    if (this.#going.size > 0) await transaction.destroy([...this.#going]);
    this.#answer.destroyed = [...this.#going];
    return this.#respond();
  }

  /** Tells of what was committed. */
  tell(pusher: Pusher): void {
    for (const [id, { isNew }] of this.#known) {
      if (this.#going.has(id)) {
        if (!isNew) pusher.removed(id);
      } else if (isNew) pusher.created(id);
      else if (this.#changed.has(id)) pusher.changed(id);
    }
  }

  async #create(): Promise<void> {
    const { creates, plan, transaction } = this.#scene;
    const limits = new CreationLimits(transaction, this.#now);
    for (const { key, id, sent, object, subscription, error } of creates) {
      const refused = subscription === null ? error : await limits.refuse(subscription.host);
      if (refused !== null || subscription === null) {
        if (refused !== null) this.#answer.notCreated[key] = refused;
        continue;
      }
      await transaction.create(subscription);
      this.#created.set(key, id);
      const { code } = subscription;
      this.#known.set(id, {
        subscription: { code, isVerified: false, wrongCodes: 0, wrongSince: null },
        ...{ before: object, after: object, patches: [], isNew: true },
      });
      const compared = creationReport(plan.index, sent, object);
      this.#answer.created[key] = finish(dropEqual(compared));
    }
  }

  async #read(): Promise<void> {
    const { plan, transaction } = this.#scene;
    const ids = new Set([...plan.updates, ...plan.destroys].map(({ id }) => id));
    const others = [...ids].filter((id) => !this.#known.has(id));
    if (others.length === 0) return;
    for (const subscription of await transaction.find(others)) {
      const before = objectOf(subscription);
      const known = { subscription, before, after: before, patches: [], isNew: false };
      this.#known.set(subscription.id, known);
    }
  }

  /** Resolves to why the update is refused; null where it is made. */
  async #update({ key, id, patch, sent, refused }: PlannedUpdate): Promise<SetError | null> {
    const { plan, transaction } = this.#scene;
    const known = this.#known.get(id);
    if (known === undefined) return notFound(key);
    if (this.#going.has(id)) return WILL_GO;
    if (refused !== null) return refused;
    const { index, createdIds, author } = plan;
    const scene = { index, createdIds, author, now: this.#now };
    const result = await runInSlices(updateObject(scene, known.after, patch), this.#slices);
    if (result.kind === 'refused') return result.error;
    const patches = [...known.patches, sent];
    if (result.kind === 'unchanged') {
      this.#known.set(id, { ...known, patches });
      return null;
    }
    const { object, changed } = result;
    const judged = this.#judge(known, object, changed);
    const { error, change } = judged;
    const subscription = {
      ...known.subscription,
      ...change,
      isVerified: known.subscription.isVerified || change.verified !== undefined,
    };
    if (Object.keys(change).length > 0) await transaction.change(id, change);
    this.#known.set(id, {
      ...{ ...known, subscription },
      ...(error === null ? { after: { ...object, ...judged.formed }, patches } : {}),
    });
    if (error === null && Object.keys(change).length > 0) this.#changed.add(id);
    return error;
  }

  /** Judges the values that a patch changes, and gives them the form in which they are stored. */
  #judge({ subscription }: Known, object: StoredObject, changed: readonly string[]): Judged {
    let change: PushSubscriptionChange = {};
    const formed: Record<string, JsonValue> = {};
    if (changed.includes('expires')) {
      const tokenEnd = tokenEndOf(this.#scene.context.request.principal);
      const expires = endOf(timeOf(object['expires'] ?? null), { tokenEnd, now: this.#now });
      if (expires === null) return refuse('expires', HAS_PASSED);
      formed['expires'] = formatUtcDate(expires);
      change = { ...change, expires };
    }
    if (changed.includes('types')) {
      formed['types'] = distinct(object['types'] ?? null);
      change = { ...change, types: namesOf(formed['types']) };
    }
    if (!changed.includes('verificationCode')) return { error: null, change, formed };
    const code = object['verificationCode'];
    if (typeof code !== 'string')
      return refuse('verificationCode', 'can not be taken back: destroy the subscription');
    const judged = judgeCode(subscription, code, this.#now);
    // A refused patch changes nothing but the count of wrong codes.
    if (judged.error !== null) return { ...judged, formed: {} };
    return { error: null, change: { ...change, ...judged.change }, formed };
  }

  #respond(): PushSubscriptionSetResponse {
    const { destroyed, ...maps } = this.#answer;
    const orNull = <T extends object>(map: T): T | null =>
      Object.keys(map).length === 0 ? null : map;
    return {
      created: orNull(maps.created),
      updated: orNull(maps.updated),
      destroyed: destroyed.length === 0 ? null : destroyed,
      notCreated: orNull(maps.notCreated),
      notUpdated: orNull(maps.notUpdated),
      notDestroyed: orNull(maps.notDestroyed),
    };
  }
}

/** The effect of a patch on a row; `formed`: values in the form in which they are stored. */
interface Judged {
  readonly error: SetError | null;
  readonly change: PushSubscriptionChange;
  readonly formed: JsonObject;
}

function refuse(property: string, why: string): Judged {
  const error = setError('invalidProperties', `"${property}" ${why}.`, { properties: [property] });
  return { error, change: {}, formed: {} };
}

const WILL_GO = setError('willDestroy', 'The same call destroys the object.');
