import type { AccessView, AllowedView } from '../access-view.js';
import { isWrittenByClients } from '../model/access.js';
import { SHARE_WITH } from '../model/build-share.js';
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
    const why = 'only a rule about a parent takes one';
    const legal = operation === 'update' ? 'true or a list of properties' : 'true';
    const what = `"${operation}: ${right.name}" names a right`;
    report('bad-access', right.at, `${what}: ${why}. Write ${legal}.`);
  }
  const right = allowed.find((each) => each.right !== undefined)?.right;
  if (update?.properties !== undefined && right !== undefined) {
    const why = 'a list of properties is for all who see the parent';
    const advice = `Make it a rule of its own, without "${right.name}"`;
    report('bad-access', update.at, `${why}, whatever their rights. ${advice}.`);
  }
  reportDoubles(update?.properties ?? [], report);
  for (const named of update?.properties ?? []) {
    if (type.share !== undefined && named.name === SHARE_WITH) continue;
    const property = findProperty(type, named, report);
    if (property === undefined || isWrittenByClients(property)) continue;
    const what = property.computed === undefined ? property.access : 'computed';
    const why = 'clients never change it, whatever a rule says';
    report('bad-access', named.at, `"${named.name}" is ${what}: ${why}.`);
  }
}
