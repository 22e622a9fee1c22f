import { NotApplicable } from '../not-applicable.js';
import type { Subject } from '../subject/subject.js';

/**
 * Objects of any type that a check makes for those of its own to refer to. They go with the check.
 */
export class Targets {
  readonly #subject: Subject;
  readonly #types = new Map<string, Subject>();
  readonly #made: { readonly target: Subject; readonly accountId: string; readonly id: string }[] =
    [];

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /**
   * Prepares another type for objects in the first account, and returns it. Each type is prepared
   * once.
   */
  async prepareType(type: string): Promise<Subject> {
    const found = this.#types.get(type);
    if (found !== undefined) return found;
    const target = this.#subject.selectType(type);
    if (!target.has('set')) throw new NotApplicable(`${type} has no standard /set.`);
    this.#types.set(type, target);
    await target.prepare(target.A1);
    return target;
  }

  /** Makes one object of a type and returns its id. */
  async make(type: string, accountId: string, text = 'to refer to'): Promise<string> {
    const target = await this.prepareType(type);
    const id = await target.makeOne(accountId, text);
    this.#made.push({ target, accountId, id });
    return id;
  }

  /** Takes note of an object that was made in another way. */
  add(target: Subject, accountId: string, id: string): void {
    this.#made.push({ target, accountId, id });
  }

  /** Destroys what is there still, last first. Its exchanges are no part of the check's. */
  async tidy(): Promise<void> {
    await this.#subject.server.recorder.runAside(() => this.#destroyAll());
  }

  /** Destroys the objects and what they had to refer to, last first. */
  async #destroyAll(): Promise<void> {
    for (const { target, accountId, id } of this.#made.splice(0).reverse())
      await target.set({ accountId, destroy: [id] });
    for (const target of [...this.#types.values()].reverse()) await target.tidySupports();
    this.#types.clear();
  }
}
