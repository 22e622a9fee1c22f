import type { DirectoryType } from '../../accounts/admin-port.js';
import type { ChangesArguments, GetArguments } from '../../capability/standard.js';
import type { StateAndObjects, StoredObject } from '../../store/port.js';
import { answerChanges } from '../changes/changes.js';
import type { Answer, CallContext, MethodBody } from '../context.js';
import { answerGet, type ObjectsToRead } from '../get/get.js';
import { type Addressed, addressedBy } from './directory-of.js';

/** Answers AdminUser/get and its like (RFC 8620 5.1). */
export const adminGet: MethodBody<GetArguments> = (args, context): Promise<Answer> => {
  const addressed = addressedBy(context);
  return answerGet(args, context, addressed.type, (wanted) => read(addressed, wanted));
};

/** Answers AdminUser/changes and its like (RFC 8620 5.2), from the records of the directory. */
export const adminChanges: MethodBody<ChangesArguments> = (args, context: CallContext) =>
  answerChanges(args, context, addressedBy(context).type);

async function read(
  { directory, name }: Addressed & { readonly name: DirectoryType },
  { ids, properties }: ObjectsToRead,
): Promise<StateAndObjects> {
  const { number, objects } = await directory.read(name, ids);
  const names = new Set(['id', ...properties.map((property) => property.name)]);
  const shown = objects.map((object) => {
    const members = Object.entries(object).filter(([member]) => names.has(member));
    return Object.fromEntries(members) as StoredObject;
  });
  return { number, objects: shown };
}
