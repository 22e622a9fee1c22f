import type { Requirement } from './requirement.js';

/** /set: what is answered (RFC 8620 5.3). */
export const section5SetResponse: readonly Requirement[] = [
  {
    id: '5.3 account-id',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: 'The response has the accountId of the call.',
    checks: ['set-create-answer', 'set-update-answer', 'set-destroy-answer'],
  },
  {
    id: '5.3 old-state',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: 'oldState is the state before the call.',
    checks: ['set-create-answer', 'set-update-answer', 'set-states'],
    tests: [
      'test/methods/set-update.test.ts > 596: parallel calls have states of their own and all is',
    ],
  },
  {
    id: '5.3 new-state',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: 'newState is the state that /get now answers.',
    checks: ['set-create-answer', 'set-states', 'set-states-counted'],
  },
  {
    id: '5.3 created-reports',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule:
      "created[k] has what the client didn't send: the id, all else that the server set, " +
      'defaults of what was left out, and what is stored otherwise than sent.',
    checks: ['set-create-answer', 'set-create-defaults', 'set-date-canonical', 'set-date-digits'],
  },
  {
    id: '5.3 created-null',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: '`created` is null where nothing was created.',
    checks: ['set-update-answer'],
  },
  {
    id: '5.3 updated-keys',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule:
      'The keys of `updated` are the ids of what was updated, real ids also where a creation ' +
      'id was sent.',
    checks: ['creation-ids-same-call-update', 'set-update-answer', 'creation-ids-real-ids'],
  },
  {
    id: '5.3 updated-reports',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule:
      'updated[id] has what changed otherwise than the patch said, server-set and computed ' +
      'values among it; null where nothing did.',
    checks: ['set-update-answer', 'set-update-null-default', 'described-counts'],
  },
  {
    id: '5.3 updated-beside-refused',
    section: '5.3',
    level: 'may',
    whom: 'server',
    rule:
      'An object whose own update was refused is in `updated` besides notUpdated where the ' +
      'rest of the call changed it, so that a client which goes on from newState misses ' +
      'nothing.',
    tests: [
      'test/methods/set-consequences.test.ts > 5.3: are told of an object whose own update was',
    ],
  },
  {
    id: '5.3 updated-null',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: '`updated` is null where nothing was updated.',
    checks: ['set-create-answer'],
  },
  {
    id: '5.3 destroyed',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: '`destroyed` lists what was destroyed, or is null.',
    checks: ['set-destroy-answer'],
  },
  {
    id: '5.3 not-members-null',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: 'notCreated, notUpdated and notDestroyed are null where nothing was refused.',
    checks: ['set-create-answer', 'set-nothing'],
  },
  {
    id: '5.3 set-error',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: 'A SetError has a type and may have a description; here it always has one.',
    checks: [
      'set-create-required',
      'set-create-all-invalid-listed',
      'set-error-shape',
      'set-error-described',
    ],
  },
  {
    id: '5.3 forbidden',
    section: '5.3',
    level: 'may',
    whom: 'server',
    rule: 'What permissions forbid for a record: forbidden.',
    tests: ['test/hooks/failures.test.ts'],
    reason: "Access is an account's here; a team's hook may refuse a record with it.",
  },
  {
    id: '5.3 over-quota',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: "A create over the type's bound of objects: overQuota.",
    checks: ['described-limits-over-quota', 'described-limits-count'],
  },
  {
    id: '5.3 too-large',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: "An object over the type's bound of octets, by create or update: tooLarge.",
    checks: ['described-limits-too-large', 'described-limits-octets'],
  },
  {
    id: '5.3 rate-limit',
    section: '5.3',
    level: 'may',
    whom: 'server',
    rule: 'Too many creates in a short time: rateLimit.',
    reason: 'There is no limit of rate (docs/protocol.md, gaps).',
  },
  {
    id: '5.3 invalid-properties',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule:
      "What the type doesn't allow is invalidProperties: unknown properties, wrong types, " +
      'values out of bounds.',
    checks: [
      'set-create-unknown-property',
      'set-create-wrong-type',
      'described-values-stored',
      'described-values-refused',
    ],
  },
  {
    id: '5.3 invalid-reference',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: 'So is a reference to what is no record of the account.',
    checks: [
      'described-links-targets',
      'described-links-forms',
      'described-links-update',
      'described-links-gone',
    ],
  },
  {
    id: '5.3 properties-listed',
    section: '5.3',
    level: 'should',
    whom: 'server',
    keywords: 1,
    rule: 'invalidProperties lists all properties at fault.',
    checks: ['set-create-all-invalid-listed'],
    tests: [
      'test/methods/set-relations.test.ts > to what is unknown are told beside all else that is',
    ],
  },
  {
    id: '5.3 specific-errors',
    section: '5.3',
    level: 'may',
    whom: 'specification',
    keywords: 1,
    rule: "A method's specification may name more exact errors.",
    checks: ['described-links-on-destroy', 'described-links-holders'],
  },
  {
    id: '5.3 specific-errors-used',
    section: '5.3',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'Where one of these fits, it is answered in place of invalidProperties.',
    checks: ['described-unique-shared', 'described-unique-later-loses'],
    tests: [
      'test/methods/set-relations.test.ts > may be swapped, and of those that collide the later',
    ],
    reason: "Another server's types may add errors that no descriptor tells: ours are tried alone.",
  },
  {
    id: '5.3 singleton',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: 'A singleton can be neither created nor destroyed: singleton.',
    checks: ['singleton-not-created', 'singleton-other-id'],
  },
  {
    id: '5.3 other-set-errors',
    section: '5.3',
    level: 'may',
    whom: 'specification',
    keywords: 1,
    rule:
      'Methods may have SetErrors of their own (alreadyExists for a value that must be unique, ' +
      'objectIsLinked for what others refer to).',
    checks: ['described-unique-shared', 'described-links-holders'],
  },
  {
    id: '5.3 other-members',
    section: '5.3',
    level: 'may',
    whom: 'specification',
    keywords: 1,
    rule: 'A SetError may have further members (existingId, objectIds).',
    checks: ['described-unique-shared'],
  },
  {
    id: '5.3 request-too-large',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule:
      'More creates, updates and destroys together than maxObjectsInSet: requestTooLarge, and ' +
      'nothing is applied.',
    checks: ['set-max-objects'],
    tests: [
      'test/conformance/limits.test.ts > cases 241 and 415, 5.3: maxObjectsInSet counts creates',
    ],
  },
  {
    id: '5.3 state-mismatch',
    section: '5.3',
    level: 'must',
    whom: 'server',
    rule: 'A stale ifInState: stateMismatch.',
    checks: ['set-if-in-state-twice'],
  },
];
