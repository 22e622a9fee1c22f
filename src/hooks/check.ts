import type { TypeHooks } from '../capability/hooks.js';
import type { WantedObject } from '../methods/context.js';
import { HookError, HookHandleError } from '../methods/hook-errors.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import type { SetError } from '../protocol/errors.js';
import { excerpt } from '../protocol/excerpt.js';
import { isJsonObject } from '../protocol/json.js';
import type { HookScope } from './scope.js';
import { given } from './values.js';
import { frozenInSlices } from './walks.js';

/** A SetError's type, of the RFCs or of a hook's own: `mailboxHasChild`, `example.com:locked`. */
const TYPE = /^[A-Za-z][A-Za-z0-9.:_-]{0,127}$/;

/** Runs a type's `check`: its refusals are judged, and end with its time. */
export async function runCheck(
  hooks: TypeHooks,
  what: string,
  { scope, unit }: { readonly scope: HookScope; readonly unit: UnitOfWork },
  wanted: readonly WantedObject[],
): Promise<void> {
  await frozenInSlices(
    wanted.map(({ before, after }) => [before, after]),
    unit.slices,
  );
  let isOver = false;
  const offered = wanted.map(({ key, before, after, refuse }) =>
    Object.freeze({
      ...{ key, before, after },
      refuse(error: SetError): void {
        // What it would refuse is being written.
        if (isOver) throw new HookHandleError('It is too late to refuse: the check has ended.');
        refuse(judgedRefusal(what, error));
      },
    }),
  );
  try {
    await scope.run(what, unit.transaction, (call, reader) =>
      hooks.check?.(Object.freeze(offered), call, reader),
    );
  } finally {
    isOver = true;
  }
}

function judgedRefusal(what: string, error: unknown): SetError {
  const own = given(what, error ?? null);
  const { type, description } = isJsonObject(own) ? own : {};
  if (typeof type !== 'string' || typeof description !== 'string') {
    throw new HookError(
      what,
      'refused an object by what is no SetError: { type, description } with two texts',
    );
  }
  if (!TYPE.test(type)) {
    throw new HookError(
      what,
      `refused an object by the type ${excerpt(JSON.stringify(type))}: a type begins with a ` +
        'letter, and has up to 128 letters, digits and characters of . : _ -',
    );
  }
  return own as unknown as SetError;
}
