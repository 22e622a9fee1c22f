import type { SetResponse } from '../../capability/standard.js';
import type { SetError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';

/** Gathers what a /set did and did not do, and makes its response (RFC 8620 5.3). */
export class SetReport {
  /** By creation id, as all maps of creates are; null where nothing was created. */
  #created: Record<string, JsonObject> | null = null;
  readonly notCreated = new Map<string, SetError>();
  /** By key as sent. */
  readonly notUpdated = new Map<string, SetError>();
  readonly notDestroyed = new Map<string, SetError>();
  /** Real ids, in order. */
  readonly destroyed: string[] = [];
  readonly #updated = new Map<string, JsonObject | null>();

  addCreate(key: string, report: JsonObject): void {
    this.#created ??= emptyObject<JsonObject>();
    this.#created[key] = report;
  }

  /**
   * By real id; two updates of one object (by its id and by its creation id) are reported together.
   */
  addUpdate(id: string, report: JsonObject | null): void {
    const before = this.#updated.get(id) ?? null;
    this.#updated.set(id, before === null ? report : { ...before, ...report });
  }

  toResponse(accountId: string, oldState: string, newState: string): SetResponse {
    return {
      accountId,
      oldState,
      newState,
      created: this.#created,
      updated: orNull(this.#updated),
      destroyed: this.destroyed.length === 0 ? null : this.destroyed,
      notCreated: orNull(this.notCreated),
      notUpdated: orNull(this.notUpdated),
      notDestroyed: orNull(this.notDestroyed),
    };
  }
}

/** A map for the wire; null for an empty one (5.3). */
export function orNull<T>(entries: ReadonlyMap<string, T>): Readonly<Record<string, T>> | null {
  if (entries.size === 0) return null;
  const object = emptyObject<T>();
  for (const [key, value] of entries) object[key] = value;
  return object;
}
