import type { DataTypeDefinition } from '../../capability/definition.js';
import { jsonEqual } from '../../protocol/equal.js';
import type { SetError } from '../../protocol/errors.js';
import type { StoredObject } from '../../store/port.js';
import type { CallContext, RefusableChange } from '../context.js';
import { clock } from '../states.js';
import { indexOf } from '../type-index.js';
import type { Compute } from '../work/aggregate-upkeep.js';
import type { UnitOfWork } from '../work/unit.js';
import type { Going } from './blob-costs.js';
import type { CallAccess } from './call-access.js';
import { Destroyer, type Destruction } from './destroys.js';
import { CircleJudge } from './judge-circles.js';
import { DepthJudge } from './judge-depths.js';
import { LimitJudge } from './judge-limits.js';
import { LinkJudge } from './judge-links.js';
import { QuotaJudge } from './judge-quotas.js';
import { RuleJudge } from './judge-rules.js';
import { StayJudge } from './judge-stays.js';
import { UniqueJudge } from './judge-uniques.js';
import { type DestroyOperation, notFound, type ProposedChanges } from './proposed-changes.js';
import {
  idsByType,
  KnownObjects,
  linksByOrigin,
  type ObjectKey,
  textOf,
  withoutLinks,
} from './relations.js';
import { stampUpdate } from './update.js';
import { findVisible, hideIds } from './visible-ids.js';

export interface CascadeScene {
  readonly access: CallAccess;
  readonly changes: ProposedChanges;
  /** The existing objects to destroy, by id: their links, or whole rows if hooks see them. */
  readonly destroyTargets: ReadonlyMap<string, StoredObject>;
  /** In order; unless refused yet, each has an object that exists or that the changes creates. */
  readonly destroys: readonly DestroyOperation[];
  readonly unit: UnitOfWork;
  readonly context: CallContext;
}

const NOTHING_GOES: Destruction = Object.freeze({
  refused: new Map(),
  removals: new Map(),
  nulled: Object.freeze([]),
});

/**
 * Brings what a call wants into a state in which every rule holds, by refusing what breaks one.
 * Then puts it into the unit of work with all that follows from it.
 */
export class CascadePlanner {
  readonly #scene: CascadeScene;
  readonly #rules: RuleJudge;
  readonly #limits: LimitJudge;
  readonly #quotas: QuotaJudge;
  readonly #links: LinkJudge;
  readonly #circles: CircleJudge;
  readonly #depths: DepthJudge;
  readonly #uniques: UniqueJudge;
  readonly #destroyer: Destroyer;
  readonly #stays: StayJudge;
  #destruction = NOTHING_GOES;
  /** By key: the objects that go or lose links, of those that the call doesn't name. */
  readonly #rows = new Map<string, StoredObject>();
  /** Computes properties anew of objects that change as a consequence of the call. */
  readonly #compute: Compute;
  /** Ids to destroy, in order. */
  readonly #roots = new Set<string>();
  readonly #refusedRoots = new Map<string, SetError>();
  /** Objects of the call's type that changed without being asked for: as they were. */
  readonly sideEffects = new Map<string, StoredObject>();
  /** Ids of the call's type that went, in order, but for those that the user doesn't see. */
  readonly destroyed: string[] = [];
  /** By id: objects of the call's type that go along, and that the user doesn't see. */
  #hidden: ReadonlySet<string> = new Set();

  constructor(scene: CascadeScene) {
    const { access, changes, unit, context } = scene;
    const { viewOf } = access;
    const { registry, hooks, limits } = context.services;
    const snapshot = unit.transaction;
    this.#scene = scene;
    this.#rules = new RuleJudge(changes);
    this.#limits = new LimitJudge(changes, unit);
    this.#quotas = new QuotaJudge(changes, unit);
    const objects = new KnownObjects(unit, registry.dataTypes);
    const hasViews = changes.index.references.some(({ type }) => {
      const referred = registry.dataTypes.get(type);
      return referred !== undefined && viewOf(referred) !== null;
    });
    const named = hasViews ? new KnownObjects(unit, registry.dataTypes, viewOf) : objects;
    this.#links = new LinkJudge(changes, unit, { objects, named });
    this.#circles = new CircleJudge(changes, snapshot);
    this.#depths = new DepthJudge(changes, unit);
    this.#uniques = new UniqueJudge(changes, snapshot, viewOf(changes.index.type));
    const { author } = changes;
    this.#stays = new StayJudge({ access, author, unit, types: registry.dataTypes });
    const { maxCascade: maximum } = limits;
    this.#destroyer = new Destroyer({ changes, snapshot, registry, objects, maximum });
    this.#compute = (type, object) => hooks?.compute(type, object) ?? object;
    for (const { id, error } of scene.destroys) if (error === null) this.#roots.add(id);
  }

  /** Ends since every turn but the last refuses something, and what is refused stays so. */
  async plan(): Promise<void> {
    const destruction = await this.#judgeRepeatedly();
    const { access, unit, context } = this.#scene;
    const types = context.services.registry.dataTypes.values();
    const refused = await hideIds(destruction.refused, types, unit.transaction, access.viewOf);
    this.#destruction = { ...destruction, refused };
    this.#uniques.retell((id) => this.#isGone(destruction, id));
    if (this.#scene.changes.index.judges) await this.#links.completeRefusals();
    const { removals, nulled } = destruction;
    await this.#readRows([...removals.values()].filter((key) => this.#row(key) === undefined));
    this.#hidden = await this.#findHidden([...removals.values()]);
    const unlinked = nulled.map(({ origin }) => origin).filter((key) => !this.#isProposed(key));
    await this.#readRows(unlinked, true);
  }

  /** Returns the ids of objects of the call's type that the user doesn't see. */
  async #findHidden(keys: readonly ObjectKey[]): Promise<ReadonlySet<string>> {
    const { access, changes, unit } = this.#scene;
    const { type } = changes.index;
    const view = access.viewOf(type);
    if (view === null) return this.#hidden;
    const ids = keys.filter((key) => key.type === type.name && !this.#roots.has(key.id));
    const visible = await findVisible(
      unit.transaction,
      type,
      view,
      ids.map(({ id }) => id),
    );
    return new Set(ids.flatMap(({ id }) => (visible.has(id) ? [] : id)));
  }

  /**
   * Reads only the links of objects that go, and what aggregates are made of, unless hooks see
   * them. So large objects may go together. Reads objects whole if they only lose links, since they
   * are written.
   */
  async #readRows(objects: readonly ObjectKey[], isWhole = false): Promise<void> {
    const { unit, context } = this.#scene;
    const { registry, hooks } = context.services;
    for (const [name, ids] of idsByType(objects)) {
      const type = registry.dataTypes.get(name);
      if (type === undefined) continue;
      const isAll = isWhole || hooks?.needsWholeRows(type) === true;
      const counted = registry.relations.readOfDestroyed.get(name);
      const properties = isAll ? type.properties : (counted ?? indexOf(type).keptOfDestroyed);
      const rows = await unit.transaction.get(type, [...ids], properties);
      for (const row of rows) this.#rows.set(textOf({ type: name, id: row.id }), row);
    }
  }

  async #judgeRepeatedly(): Promise<Destruction> {
    let hasAskedHooks = false;
    for (;;) {
      const destruction = await this.#judge();
      if (destruction === null) continue;
      const { context, unit, changes } = this.#scene;
      const { hooks } = context;
      if (hooks === null || hasAskedHooks) return destruction;
      hasAskedHooks = true;
      const before = changes.refusals + this.#refusedRoots.size;
      const refusable = this.#listChanges();
      if (refusable.length > 0) {
        await hooks.beforeWrites(changes.index.type, refusable, unit);
      }
      if (changes.refusals + this.#refusedRoots.size === before) return destruction;
    }
  }

  /** Returns null where something was refused, so that all is to be judged again. */
  async #judge(): Promise<Destruction | null> {
    const { changes, destroyTargets } = this.#scene;
    const { judges } = changes.index;
    if (await this.#judgeAccess()) return null;
    const isLimited = changes.index.type.access !== undefined;
    const isJudged = judges || isLimited || this.#quotas.concerns;
    if (!isJudged && this.#roots.size === 0) return NOTHING_GOES;
    if (this.#rules.judge() || this.#limits.judgeSizes() || this.#limits.judgeNames()) return null;
    if ((await this.#links.judge()) || (await this.#circles.judge())) return null;
    const roots = [...this.#roots].filter(
      (id) => !this.#refusedRoots.has(id) && (destroyTargets.has(id) || changes.rows.has(id)),
    );
    const { name } = changes.index.type;
    const refusedKeys = [...this.#refusedRoots.keys()].map((id) => ({ type: name, id }));
    const { kept, lasting } = this.#stays;
    const staying = { kept: [...refusedKeys, ...kept], lasting };
    const destruction = await this.#destroyer.destroy(roots, staying);
    const rootKeys = roots.map((id) => ({ type: name, id }));
    if (await this.#stays.find(destruction.removals, rootKeys)) return null;
    const isGone = (id: string) => this.#isGone(destruction, id);
    if (await this.#uniques.judge(isGone)) return null;
    let own = 0;
    for (const { type } of destruction.removals.values()) if (type === name) own += 1;
    if (await this.#limits.judgeCount(own, isGone)) return null;
    if (await this.#judgeQuotas(destruction, isGone)) return null;
    const refused = new Map([...destruction.refused, ...this.#refusedRoots]);
    return { ...destruction, refused };
  }

  /** Returns whether access rules refuse something. */
  async #judgeAccess(): Promise<boolean> {
    const { access, changes, unit } = this.#scene;
    const { type } = changes.index;
    const judge = await access.judgeOf(type);
    if (judge === null && type.access === undefined) return false;
    const proposed = [...changes.rows.values()].map(({ after }) => after);
    const after = unit.inheritance.with(type, proposed);
    return (await this.#depths.judge(after)) || (await judge?.judge(changes, after)) === true;
  }

  /** Returns whether the quotas refuse something; what goes makes room. */
  async #judgeQuotas({ removals }: Destruction, isGone: (id: string) => boolean): Promise<boolean> {
    if (!this.#quotas.concerns) return false;
    const keys = [...removals.values()];
    await this.#readRows(keys.filter((key) => this.#row(key) === undefined));
    const { destroyTargets, changes } = this.#scene;
    const all = keys.map((key): Going => {
      if (key.type !== changes.index.type.name) return { ...key, row: this.#row(key) ?? null };
      const row = destroyTargets.get(key.id) ?? changes.rows.get(key.id)?.before ?? null;
      return { ...key, row: row ?? this.#rows.get(textOf(key)) ?? null };
    });
    return this.#quotas.judge({ isGone, all });
  }

  /** Returns whether an object of the call's type goes. */
  #isGone({ removals }: Destruction, id: string): boolean {
    return removals.has(textOf({ type: this.#scene.changes.index.type.name, id }));
  }

  /**
   * Returns the operations of the call on objects of its own type. They include destroys that a
   * link prevents: a hook may give a better reason.
   */
  #listChanges(): readonly RefusableChange[] {
    const { changes, destroyTargets } = this.#scene;
    const refusable: RefusableChange[] = [];
    for (const { id, before, after, create, updates } of changes.rows.values()) {
      const operation = updates.at(-1)?.operation ?? create;
      if (operation === null) continue;
      const key = create === null ? id : create.key;
      const refuse = (error: SetError) => {
        if (create !== null) changes.refuse(create, error);
        for (const update of updates) changes.refuse(update.operation, error);
      };
      refusable.push({ key, before, after, refuse });
    }
    for (const id of this.#roots) {
      const before = destroyTargets.get(id);
      if (before === undefined) continue;
      const refuse = (error: SetError) => {
        if (!this.#refusedRoots.has(id)) this.#refusedRoots.set(id, error);
      };
      refusable.push({ key: id, before, after: null, refuse });
    }
    return refusable;
  }

  /**
   * Puts destroys and removed links into the unit of work, which already has the changes's rows.
   * Refuses the destroys of objects that stay.
   */
  apply(): void {
    const { destroys, context } = this.#scene;
    this.#destroy();
    const destroyedIds = new Set(this.destroyed);
    for (const destroy of destroys) {
      const { key, id } = destroy;
      if (!destroyedIds.has(id))
        destroy.error ??= this.#destruction.refused.get(id) ?? notFound(key);
    }
    this.#unlink(clock(context.services));
  }

  #destroy(): void {
    const { removals } = this.#destruction;
    const { changes, unit, context } = this.#scene;
    const own = changes.index.type.name;
    for (const key of removals.values()) {
      const { type: name, id } = key;
      const type = context.services.registry.dataTypes.get(name);
      const row = this.#row(key);
      if (type === undefined || row === undefined) continue;
      unit.destroy(type, row);
      if (name === own && !this.#hidden.has(id)) this.destroyed.push(id);
    }
  }

  #unlink(now: number): void {
    const { nulled } = this.#destruction;
    if (nulled.length === 0) return;
    const { unit, context } = this.#scene;
    for (const links of linksByOrigin(nulled)) {
      const [first] = links;
      if (first === undefined) continue;
      const { type: name, id } = first.origin;
      const type = context.services.registry.dataTypes.get(name);
      if (type === undefined) continue;
      const before = unit.current(type, id) ?? this.#row(first.origin);
      if (before === undefined) continue;
      const unlinked = withoutLinks(before, links);
      const index = indexOf(type);
      if (!unit.isNew(type, id)) stampUpdate(unlinked, { index, now }, before);
      const after = this.#undone(id, type, this.#compute(type, unlinked as StoredObject));
      unit.update(type, before, after);
      this.#noteSideEffect(type, before);
    }
  }

  /**
   * Returns an object as it was before the call, where all that the call had changed of it were
   * links to objects that go. It has not changed then.
   */
  #undone(id: string, type: DataTypeDefinition, after: StoredObject): StoredObject {
    const { index, rows } = this.#scene.changes;
    const before = type.name === index.type.name ? rows.get(id)?.before : undefined;
    if (before === undefined || before === null) return after;
    const { updated } = index.roles;
    const same =
      updated === undefined ? after : { ...after, [updated.name]: before[updated.name] ?? null };
    return jsonEqual(same, before) ? before : after;
  }

  #row(key: ObjectKey): StoredObject | undefined {
    return this.#rows.get(textOf(key)) ?? this.#ownRow(key);
  }

  /** Returns an object as the call leaves it; of one that it destroys perhaps only its links. */
  #ownRow(key: ObjectKey): StoredObject | undefined {
    const { changes, destroyTargets } = this.#scene;
    if (key.type !== changes.index.type.name) return undefined;
    return changes.rows.get(key.id)?.after ?? destroyTargets.get(key.id);
  }

  #isProposed({ type, id }: ObjectKey): boolean {
    const { index, rows } = this.#scene.changes;
    return type === index.type.name && rows.has(id);
  }

  #noteSideEffect(type: DataTypeDefinition, before: StoredObject): void {
    if (type.name !== this.#scene.changes.index.type.name) return;
    if (!this.sideEffects.has(before.id)) this.sideEffects.set(before.id, before);
  }
}
