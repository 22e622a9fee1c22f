import type { RecurrenceRule } from '../generated/shared/jscalendar.js';
import type { Person, TaskStored } from '../generated/tasks/Task.definition.js';

/** A value that breaks a rule; the text stands behind its path. */
export interface Fault {
  readonly path: string;
  readonly text: string;
}

/** Returns where a task breaks the rules of RFC 8984 and the draft between values. */
export function findFaults(task: TaskStored): readonly Fault[] {
  return [
    ...judgeRules('recurrenceRules', task.recurrenceRules),
    ...judgeRules('excludedRecurrenceRules', task.excludedRecurrenceRules),
    ...judgeLocations(task),
    ...judgeParticipants(task),
    ...judgePersons(task),
  ];
}

/** RFC 8984 4.3.3: a rule ends once, and no day, week or position is the zeroth. */
function judgeRules(property: string, rules: readonly RecurrenceRule[] = []): readonly Fault[] {
  return rules.flatMap((rule, at) => {
    const path = `${property}/${at}`;
    const { byDay = [], byMonthDay, byYearDay, byWeekNo, bySetPosition, count, until } = rule;
    const faults: Fault[] = [];
    if (count !== undefined && until !== undefined)
      faults.push({ path: `${path}/until`, text: 'has no place beside "count"' });
    const numbersOfDays = byDay.flatMap(({ nthOfPeriod }) => nthOfPeriod ?? []);
    const numbers = { byDay: numbersOfDays, byMonthDay, byYearDay, byWeekNo, bySetPosition };
    for (const [member, values] of Object.entries(numbers))
      if (values?.includes(0)) faults.push({ path: `${path}/${member}`, text: 'has no zero' });
    return faults;
  });
}

/** 4.2.5: a location says more than when it is. */
function judgeLocations({ locations = {} }: TaskStored): readonly Fault[] {
  return Object.entries(locations).flatMap(([id, location]) => {
    const says = Object.keys(location).some((name) => name !== '@type' && name !== 'relativeTo');
    return says ? [] : [{ path: `locations/${id}`, text: 'says nothing' }];
  });
}

/** 4.4.6: who is invited can answer. */
function judgeParticipants({ participants = {}, replyTo }: TaskStored): readonly Fault[] {
  if (replyTo !== undefined) return [];
  const invited = Object.entries(participants).filter(([, { sendTo }]) => sendTo !== undefined);
  return invited.map(([id]) => ({
    path: `participants/${id}/sendTo`,
    text: 'needs "replyTo" of the task',
  }));
}

/** The draft: a person has a URI or is a principal. */
function judgePersons({ checklists = {}, comments = {} }: TaskStored): readonly Fault[] {
  const persons: [path: string, person: Person | undefined][] = [
    ...Object.entries(comments).map(([id, { author }]): [string, Person | undefined] => [
      `comments/${id}/author`,
      author,
    ]),
    ...Object.entries(checklists).flatMap(([id, { checkItems = [] }]) =>
      checkItems.map(({ assignee }, at): [string, Person | undefined] => [
        `checklists/${id}/checkItems/${at}/assignee`,
        assignee,
      ]),
    ),
  ];
  return persons.flatMap(([path, person]) =>
    person === undefined || (person.uri ?? person.principalId) !== undefined
      ? []
      : [{ path, text: 'needs "uri" or "principalId"' }],
  );
}
