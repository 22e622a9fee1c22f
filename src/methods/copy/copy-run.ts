import type { AccountAccess } from '../../accounts/principal.js';
import { replaceSteps, textSteps } from '../../capability/replace-steps.js';
import type { CopyArguments, CopyResponse } from '../../capability/standard.js';
import type { SetError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import { runInSlices, type Steps } from '../../runtime/slices.js';
import type { NewBlob, StoredObject } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { Problems } from '../issues.js';
import { completeRefusals } from '../set/complete-refusals.js';
import type { Draft } from '../set/draft.js';
import { newObject } from '../set/draft.js';
import { type CreateOperation, Proposal } from '../set/proposal.js';
import { referredIds } from '../set/reference-values.js';
import { copyReport, orNull, settled } from '../set/report.js';
import type { Seals } from '../set/secrets.js';
import { sentObject } from '../set/sent.js';
import { Settlement } from '../set/settlement.js';
import { clock, formatState, requireState } from '../states.js';
import type { TypeIndex } from '../type-index.js';
import type { UnitOfWork } from '../work/unit.js';
import { type CopyPlan, draftsOf, originalNotFound, type PlannedCopy } from './copy-plan.js';
import { inheritedSecrets } from './inherited-secrets.js';
import { inheritedBlobs, type Originals } from './originals.js';

export interface CopyScene {
  readonly index: TypeIndex;
  readonly plan: CopyPlan;
  /** What is stored of the secrets that copies override. */
  readonly seals: Seals;
  readonly originals: Originals;
  /** By source id: the copies of their octets. */
  readonly blobs: ReadonlyMap<string, NewBlob>;
  readonly from: AccountAccess;
  readonly context: CallContext;
  /** Of the transaction of the target account. */
  readonly unit: UnitOfWork;
  /** The client's arguments, if a hook has replaced them; the plan is made of the hook's. */
  readonly sent?: CopyArguments | undefined;
}

export interface CopyResult {
  readonly response: CopyResponse;
  /** Source ids of what was copied, each once. */
  readonly copied: readonly string[];
  /** Blobs that got rows. */
  readonly inserted: readonly NewBlob[];
}

/** RFC 8620 5.4, phase 2: one /copy in its transaction of the target account. */
export class CopyRun {
  readonly #scene: CopyScene;
  readonly #created = new Map<string, JsonObject>();
  readonly #notCreated = new Map<string, SetError>();
  readonly #createdIds = new Map<string, string>();
  readonly #copies: PendingCopy[] = [];
  readonly #copied = new Set<string>();
  readonly #inserted = new Set<NewBlob>();

  constructor(scene: CopyScene) {
    this.#scene = scene;
  }

  async run(args: CopyArguments): Promise<CopyResult> {
    const { index, context, unit, from } = this.#scene;
    const { transaction, slices } = unit;
    const oldState = await transaction.stateNumber(index.type);
    requireState('ifInState', args.ifInState, oldState);
    await runInSlices(this.#propose(), slices);
    if (slices.isOver()) await slices.next();
    await this.#settle();
    if (slices.isOver()) await slices.next();
    await runInSlices(this.#tell(), slices);
    const newState = oldState + unit.steps(index.type);
    if (slices.isOver()) await slices.next();
    await unit.record();
    if (slices.isOver()) await slices.next();
    const copied = {
      fromAccountId: from.id,
      accountId: accountOf(context).id,
      oldState: formatState(oldState),
      newState: formatState(newState),
      created: orNull(this.#created),
      notCreated: orNull(this.#notCreated),
    };
    const response = (await context.hooks?.complete(copied, transaction)) ?? copied;
    await context.admit(response, this.#createdIds, slices);
    return { response, copied: [...this.#copied], inserted: [...this.#inserted] };
  }

  /** Makes the copies that may be, as far as each is judged alone. */
  *#propose(): Steps<void> {
    for (const [creationId, entry] of this.#scene.plan.entries) {
      yield;
      const error = yield* this.#copy(creationId, entry);
      if (error !== null) this.#notCreated.set(creationId, error);
    }
  }

  /** Makes one copy; what is wrong with it, or null. */
  *#copy(creationId: string, entry: PlannedCopy): Steps<SetError | null> {
    const { index, originals, from, context } = this.#scene;
    if (entry.kind === 'refused') return entry.error;
    if (entry.kind === 'nameless') return entry.problems.toSetError();
    const original = originals.objects.get(entry.sourceId);
    if (original === undefined) return originalNotFound(entry.sourceId);
    const { overrides } = entry;
    const problems = new Problems(overrides.problems);
    for (const name of inheritedReferences(index, original, overrides))
      problems.add(name, 'refers to objects of the source account');
    const { secretKey } = context.services;
    const accounts = { from, to: accountOf(context), secretKey };
    const secrets = inheritedSecrets(index, original, entry, accounts, problems);
    const moved = yield* this.#movedBlobs(original, overrides);
    // Octets are copied for overrides that are fine alone.
    if (!overrides.problems.any) for (const name of moved.lost) problems.add(name, IS_GONE);
    if (problems.any) return problems.toSetError();
    const sealed = Object.fromEntries(this.#scene.seals.creates.get(creationId) ?? []);
    const given = Object.assign(emptyObject(), overrides.values, moved.values, secrets, sealed);
    const object = newObject(index, given, entry.birth, original);
    const { sent } = overrides;
    const operation = { kind: 'create', key: creationId, id: object.id, sent, object } as const;
    this.#copies.push({ operation, entry, moved });
    return null;
  }

  /**
   * 5.4 and 6: the blobs that the copy takes along are known under new ids in the target account.
   */
  *#movedBlobs(original: StoredObject, overrides: Draft): Steps<MovedBlobs> {
    const values = emptyObject();
    const blobs: NewBlob[] = [];
    const lost: string[] = [];
    const moved = (id: string): string => {
      const blob = this.#scene.blobs.get(id);
      if (blob !== undefined) blobs.push(blob);
      return blob?.id ?? id;
    };
    for (const { name, blobs: places } of inheritedBlobs(this.#scene.index, overrides)) {
      const value = original[name] ?? null;
      const ids = [...(yield* textSteps(places, value))];
      if (ids.length > 0) values[name] = yield* replaceSteps(places, value, moved);
      if (ids.some((id) => !this.#scene.blobs.has(id))) lost.push(name);
    }
    return { values, blobs, lost };
  }

  /** Judges the copies together, as a /set would its creates, and writes those that may be. */
  async #settle(): Promise<void> {
    const { index, plan, context, unit } = this.#scene;
    const { transaction, slices } = unit;
    const { hooks, ...services } = context.services;
    const { createdIds } = plan;
    const scene = { index, createdIds, author: 'client', now: clock(services) } as const;
    const operations = this.#copies.map(({ operation }) => operation);
    const compute = (object: StoredObject) => hooks?.compute(index.type, object) ?? object;
    const proposal = new Proposal(scene, operations, [], new Map(), compute);
    await runInSlices(proposal.fold(), slices);
    // They get their rows before the objects' references to them.
    for (const { id } of this.#scene.blobs.values()) unit.blobs.add(id);
    const none = { doomed: new Map(), destroys: [] };
    const settlement = new Settlement({ proposal, unit, context, ...none });
    await settlement.settle();
    await completeRefusals({
      ...{ index, createdIds, proposal, unit },
      creates: draftsOf(plan),
      notCreated: this.#notCreated,
      registry: services.registry,
    });
    if (this.#copies.length === 0) return;
    proposal.writeTo(unit);
    await settlement.apply();
    for (const { operation, entry, moved } of this.#copies) {
      if (proposal.refused.has(operation)) continue;
      this.#copied.add(entry.sourceId);
      for (const blob of moved.blobs) this.#inserted.add(blob);
    }
    // Before the objects' references to them.
    if (this.#inserted.size > 0) await transaction.insertBlobs([...this.#inserted]);
    await unit.flush();
    if (hooks !== undefined) {
      await hooks.afterWrites(unit, context);
      await unit.flush();
    }
    for (const { operation } of this.#copies) {
      const refused = proposal.refused.get(operation);
      if (refused !== undefined) this.#notCreated.set(operation.key, refused);
    }
  }

  /** The copies as the unit leaves them. */
  *#tell(): Steps<void> {
    const { index, unit, originals } = this.#scene;
    for (const { operation, entry, moved } of this.#copies) {
      const { key, id } = operation;
      if (this.#notCreated.has(key)) continue;
      yield;
      const object = unit.current(index.type, id) ?? operation.object;
      this.#createdIds.set(key, id);
      const original = originals.objects.get(entry.sourceId);
      const expected = this.#expected(key, entry, original);
      this.#created.set(key, yield* settled(copyReport(index, expected, object, moved.values)));
    }
  }

  /**
   * The copy as the client would expect it. The client knows nothing of an original that a hook
   * chose.
   */
  #expected(
    creationId: string,
    { overrides, sourceId }: PendingCopy['entry'],
    original: StoredObject | undefined,
  ): JsonObject {
    const { index, plan, sent } = this.#scene;
    if (sent === undefined) return Object.assign(emptyObject(), original, overrides.sent);
    const given = sentObject(index, sent.create, creationId);
    const id = given[index.roles.id.name];
    const isChosen = typeof id === 'string' && resolveId(id, plan.createdIds.earlier) === sourceId;
    return Object.assign(emptyObject(), isChosen ? original : {}, given);
  }
}

const IS_GONE = 'names a blob that is gone';

interface MovedBlobs {
  readonly values: JsonObject;
  readonly blobs: readonly NewBlob[];
  readonly lost: readonly string[];
}

interface PendingCopy {
  readonly operation: CreateOperation;
  readonly entry: PlannedCopy & { readonly kind: 'copy' };
  readonly moved: MovedBlobs;
}

/** D17: names of properties that would refer to objects of another account. */
function inheritedReferences(
  index: TypeIndex,
  original: StoredObject,
  overrides: Draft,
): readonly string[] {
  return index.references
    .filter((property) => !Object.hasOwn(overrides.values, property.name))
    .filter((property) => referredIds(property, original[property.name]).length > 0)
    .map(({ name }) => name);
}
