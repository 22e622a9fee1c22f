import type { AccessView, AllowedView } from '../access-view.js';
import { isWrittenByClients } from '../model/access.js';
import type { TypeView } from '../view.js';
import { type Report, reportDoubles } from './rule.js';
import { findProperty } from './types.js';

/** Judges what a rule allows: something, and changes that clients can make. */
export function judgeOperations(type: TypeView, rule: AccessView, report: Report): void {
  const { allowed } = rule;
  const find = (operation: AllowedView['operation']) =>
    allowed.find((each) => each.operation === operation);
  const leave = find('leave');
  const update = find('update');
  if (leave !== undefined && update === undefined)
    report('bad-access', leave.at, '"leave" is about changes: it goes with "update".');
  else if (allowed.length === 0)
    report('bad-access', rule.at, 'the rule allows nothing: add read, create, update or destroy.');
  for (const { operation, right } of allowed) {
    if (right === undefined || rule.who?.name === 'parent') continue;
    const why = 'only a rule about a parent takes one. Write true';
    report('bad-access', right.at, `"${operation}: ${right.name}" names a right: ${why}.`);
  }
  reportDoubles(update?.properties ?? [], report);
  for (const named of update?.properties ?? []) {
    const property = findProperty(type, named, report);
    if (property === undefined || isWrittenByClients(property)) continue;
    const what = property.computed === undefined ? property.access : 'computed';
    const why = 'clients never change it, whatever a rule says';
    report('bad-access', named.at, `"${named.name}" is ${what}: ${why}.`);
  }
}
