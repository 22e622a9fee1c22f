import type { RecurrenceRule } from '../generated/shared/jscalendar.js';
import type { TaskStored } from '../generated/tasks/Task.definition.js';
import type { Fault } from './fault.js';

/** RFC 8984 4.3. A list without rules and a map without overrides count as absent. */
export function judgeRecurrence(task: TaskStored): readonly Fault[] {
  const { recurrenceId, recurrenceIdTimeZone, recurrenceRules, excludedRecurrenceRules } = task;
  const hasRules = (recurrenceRules ?? []).length > 0;
  const hasOverrides = Object.keys(task.recurrenceOverrides ?? {}).length > 0;
  const faults: Fault[] = [];
  if (recurrenceId !== undefined && hasRules)
    faults.push({ path: 'recurrenceRules', text: 'has no place beside "recurrenceId"' });
  if (recurrenceId !== undefined && hasOverrides)
    faults.push({ path: 'recurrenceOverrides', text: 'has no place beside "recurrenceId"' });
  if (recurrenceId === undefined && (recurrenceIdTimeZone ?? null) !== null)
    faults.push({ path: 'recurrenceIdTimeZone', text: 'needs "recurrenceId"' });
  if (hasRules && (task.start ?? task.due) === undefined)
    faults.push({ path: 'recurrenceRules', text: 'needs "start" or "due"' });
  return [
    ...faults,
    ...judgeRules('recurrenceRules', recurrenceRules),
    ...judgeRules('excludedRecurrenceRules', excludedRecurrenceRules),
  ];
}

/** The most of a Gregorian year, 4.3.3. The descriptor has the most of any calendar system. */
const GREGORIAN = { byMonthDay: 31, byYearDay: 366, byWeekNo: 53 };
const GREGORIAN_MONTH = /^(?:[1-9]|1[0-2])$/;

/** 4.3.3: a rule ends once, and no day, week or position is the zeroth. */
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
    return [...faults, ...judgeYear(path, rule)];
  });
}

/** 4.3.3: without another calendar system a rule is about Gregorian years. */
function judgeYear(path: string, rule: RecurrenceRule): readonly Fault[] {
  if ((rule.rscale ?? 'gregorian') !== 'gregorian') return [];
  const { byMonth = [], ...others } = rule;
  const faults: Fault[] = [];
  for (const member of ['byMonthDay', 'byYearDay', 'byWeekNo'] as const)
    if (others[member]?.some((value) => Math.abs(value) > GREGORIAN[member]))
      faults.push({ path: `${path}/${member}`, text: `goes to ${GREGORIAN[member]}` });
  if (!byMonth.every((month) => GREGORIAN_MONTH.test(month)))
    faults.push({ path: `${path}/byMonth`, text: 'goes to 12, without leap months' });
  return faults;
}
