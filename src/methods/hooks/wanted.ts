import type { Wanted } from '../../capability/hooks.js';
import { frozen } from '../../capability/runtime.js';
import type { SetError } from '../../protocol/errors.js';
import { isJsonObject } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import type { WantedObject } from '../set/hooks.js';
import { HookError, HookHandleError } from './errors.js';
import { given } from './judge.js';

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
    if (typeof type === 'string' && type !== '' && typeof description === 'string')
      return own as unknown as SetError;
    throw new HookError(
      this.#what,
      'refused an object by what is no SetError: { type, description } with two texts',
    );
  }
}
