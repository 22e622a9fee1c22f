import type { PatchObject } from '../generated/shared/jscalendar.js';
import type { TaskStored } from '../generated/tasks/Task.definition.js';
import { type Fault, judgeEntries } from './fault.js';

/** Members that an override never changes: readers ignore such a pointer (RFC 8984 4.3.5). */
const IGNORED = new Set([
  ...['@type', 'excludedRecurrenceRules', 'method', 'privacy', 'prodId', 'recurrenceId'],
  ...['recurrenceIdTimeZone', 'recurrenceOverrides', 'recurrenceRules', 'relatedTo', 'replyTo'],
  ...['sentBy', 'timeZones', 'uid'],
]);

/** Members that the draft forbids in an override. */
const FORBIDDEN = new Set(['isDraft', 'mayInviteSelf', 'mayInviteOthers', 'hideAttendees']);

/** Members that have translations (4.6.1): readers ignore any other pointer. */
const TRANSLATED = new Set(['title', 'description', 'name']);

/** Returns where overrides and localizations break the rules of PatchObjects. */
export function judgePatches(task: TaskStored): readonly Fault[] {
  return [
    ...judgeEntries('recurrenceOverrides', task.recurrenceOverrides, (patch, path) =>
      judgeOverride(task, patch, path),
    ),
    ...judgeEntries('localizations', task.localizations, (patch, path) => {
      const forbidden = Object.keys(patch).filter((pointer) => headOf(pointer) === OVERRIDES);
      return [
        ...forbidden.map((pointer) => ({ path: `${path}/${pointer}`, text: 'has no place here' })),
        ...judgePointers(task, patch, path, (tokens) => TRANSLATED.has(tokens.at(-1) ?? '')),
      ];
    }),
  ];
}

const OVERRIDES = 'recurrenceOverrides';

/** 4.3.5: an excluded occurrence has nothing else. */
function judgeOverride(task: TaskStored, patch: PatchObject, path: string): readonly Fault[] {
  const faults = Object.keys(patch)
    .filter((pointer) => FORBIDDEN.has(headOf(pointer)))
    .map((pointer) => ({ path: `${path}/${pointer}`, text: 'has no place in an override' }));
  if (patch['excluded'] === true && Object.keys(patch).length > 1)
    faults.push({ path, text: 'is excluded and has no other patch' });
  const isKept = ([head = '']: readonly string[]) => !IGNORED.has(head);
  return [...faults, ...judgePointers(task, patch, path, isKept)];
}

/** 1.4.9: a pointer leads to a member of what is there, and through no other pointer. */
function judgePointers(
  task: TaskStored,
  patch: PatchObject,
  path: string,
  isKept: (tokens: readonly string[]) => boolean,
): readonly Fault[] {
  const pointers = Object.keys(patch).filter((pointer) => isKept(tokensOf(pointer)));
  const names = new Set(pointers);
  return pointers.flatMap((pointer) => {
    const parts = pointer.split('/');
    const before = parts.map((_part, at) => parts.slice(0, at).join('/')).slice(1);
    const outer = before.find((each) => names.has(each));
    const text = outer === undefined ? judgeParents(task, pointer) : `lies within "${outer}"`;
    return text === null ? [] : [{ path: `${path}/${pointer}`, text }];
  });
}

/** Returns what is wrong about the parents of what a pointer sets; null if nothing is. */
function judgeParents(task: TaskStored, pointer: string): string | null {
  if (/~(?![01])/.test(pointer)) return 'has a "~" that starts no escape';
  let parent: unknown = task;
  for (const token of tokensOf(pointer).slice(0, -1)) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, token))
      return `leads to "${token}", which does not exist`;
    parent = (parent as Readonly<Record<string, unknown>>)[token];
    if (Array.isArray(parent)) return `leads into the list "${token}"`;
  }
  return typeof parent === 'object' && parent !== null ? null : 'leads into no object';
}

function headOf(pointer: string): string {
  return tokensOf(pointer)[0] ?? '';
}

function tokensOf(pointer: string): readonly string[] {
  return pointer.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
