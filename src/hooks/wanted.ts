import type { Wanted } from '../capability/hooks.js';
import { frozen } from '../capability/runtime.js';
import type { WantedObject } from '../methods/context.js';
import { HookError, HookHandleError } from '../methods/hook-errors.js';
import type { SetError } from '../protocol/errors.js';
import { excerpt } from '../protocol/excerpt.js';
import { isJsonObject } from '../protocol/json.js';
import type { StoredObject } from '../store/port.js';
import { given } from './judge.js';

/** A SetError's type, of the RFCs or of a hook's own: `mailboxHasChild`, `example.com:locked`. */
const TYPE = /^[A-Za-z][A-Za-z0-9.:_-]{0,127}$/;

/** What a `check` gets: frozen objects, and refusals that are judged and end with its time. */
export class OfferedObjects {
  readonly objects: readonly Wanted<StoredObject>[];
  readonly #what: string;
  #over = false;

  constructor(what: string, wanted: readonly WantedObject[]) {
    this.#what = what;
    this.objects = Object.freeze(
      wanted.map(({ key, before, after, refuse }) =>
        Object.freeze({
          key,
          before: frozen(before),
          after: frozen(after),
          refuse: (error: SetError): void => refuse(this.#judged(error)),
        }),
      ),
    );
  }

  /** From here on `refuse` throws: what it would refuse is being written. */
  end(): void {
    this.#over = true;
  }

  #judged(error: unknown): SetError {
    if (this.#over) throw new HookHandleError('It is too late to refuse: the check has ended.');
    const own = given(this.#what, error ?? null);
    const { type, description } = isJsonObject(own) ? own : {};
    if (typeof type !== 'string' || typeof description !== 'string') {
      throw new HookError(
        this.#what,
        'refused an object by what is no SetError: { type, description } with two texts',
      );
    }
    if (!TYPE.test(type)) {
      throw new HookError(
        this.#what,
        `refused an object by the type ${excerpt(JSON.stringify(type))}: a type begins with a ` +
          'letter, and has up to 128 letters, digits and characters of . : _ -',
      );
    }
    return own as unknown as SetError;
  }
}
