import { typeOf } from '../kinds.js';
import { member } from '../located.js';
import type { PropertyView } from '../property-view.js';
import { eachType, type Report } from './rule.js';

/** Refuses `principal: true` where there is no text, or no set of texts, for ids of users. */
export const principals = eachType((type, report) => {
  for (const property of type.properties) if (property.principal) judge(property, report);
});

function judge(property: PropertyView, report: Report): void {
  const { name, node, access, references, blobs } = property;
  const complain = (why: string) =>
    report('bad-principal', member(node, 'principal')?.at ?? node.at, `"${name}" ${why}.`);
  const setOf = member(node, 'setOf');
  const { type } = typeOf(node);
  if (references.length > 0 || blobs.length > 0)
    complain('holds ids of objects or blobs already, which are no users');
  else if (setOf === undefined ? type !== 'string' : setOf.value !== 'string')
    complain("holds no ids: legal are type: string, [string, 'null'] and setOf: string");
  else if (access === 'secret') complain('is a secret, which names nobody');
}
