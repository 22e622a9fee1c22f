import type { Hooks } from '../generated/tasks/hooks.js';
import { taskType } from '../generated/tasks/Task.definition.js';
import { taskListType } from '../generated/tasks/TaskList.definition.js';
import { findFaults } from '../rules/task-faults.js';
import { utcOf } from '../rules/utc.js';

/** The name of a list, as UTF-8. */
const MAX_NAME_OCTETS = 255;

export const hooks = {
  types: {
    TaskList: {
      /** A list goes with its tasks only if the client says so. */
      check(wanted, { arguments: { onDestroyRemoveTasks } }) {
        for (const { before, after, refuse } of wanted)
          if (after === null && (before?.tasks ?? 0) > 0 && onDestroyRemoveTasks !== true)
            refuse({ type: 'taskListHasTask', description: 'There are tasks in the list.' });
          else if (after !== null && Buffer.byteLength(after.name) > MAX_NAME_OCTETS)
            refuse({
              type: 'invalidProperties',
              properties: ['name'],
              description: `"name" has more than ${MAX_NAME_OCTETS} octets.`,
            });
      },
    },
    Task: {
      compute: { isOrigin: ({ replyTo }) => replyTo === undefined },
      /** The rules between values. A status is one of the list, and replaces the progress. */
      async check(wanted, _call, reader) {
        const ids = wanted.flatMap(({ after }) =>
          after === null || after.workflowStatus === null ? [] : [after.taskListId],
        );
        const lists = ids.length === 0 ? [] : await reader.get(taskListType, [...new Set(ids)]);
        const statuses = new Map(lists.map(({ id, workflowStatuses }) => [id, workflowStatuses]));
        for (const { after, refuse } of wanted) {
          if (after === null) continue;
          const { workflowStatus, progress, taskListId } = after;
          const refuseProperty = (property: string, description: string) =>
            refuse({ type: 'invalidProperties', properties: [property], description });
          const legal = statuses.get(taskListId) ?? [];
          if (workflowStatus !== null && !legal.includes(workflowStatus))
            refuseProperty('workflowStatus', `The list has ${legal.join(', ')}.`);
          if (workflowStatus !== null && progress !== undefined)
            refuseProperty('progress', 'It is absent where there is a workflowStatus.');
          const [fault] = findFaults(after);
          if (fault !== undefined)
            refuseProperty(fault.path.split('/', 1)[0] ?? '', `"${fault.path}" ${fault.text}.`);
        }
      },
      /** RFC 8984 4.4.6: what asks for a message is not stored. This server sends none. */
      async inTransaction({ created, updated }, _call, tx) {
        const tasks = [...created, ...updated.map(({ after }) => after)];
        const update = Object.fromEntries(
          tasks.flatMap(({ id, participants = {} }) => {
            const asking = Object.entries(participants).filter(
              ([, { scheduleForceSend }]) => scheduleForceSend !== undefined,
            );
            if (asking.length === 0) return [];
            const kept = asking.map(([each, { scheduleForceSend: _, ...others }]) => [
              each,
              others,
            ]);
            return [[id, { participants: { ...participants, ...Object.fromEntries(kept) } }]];
          }),
        );
        if (Object.keys(update).length > 0) await tx.set(taskType, { update });
      },
      /** The times in UTC, by the zone of the task or the argument of the call. */
      answer(objects, _asked, { arguments: { timeZone: floating } }) {
        const converters = new Map<string, (local: string) => string>();
        const convert = (local: string | undefined, zone: string) => {
          if (local === undefined) return null;
          const converter = converters.get(zone) ?? utcOf(zone);
          converters.set(zone, converter);
          return converter(local);
        };
        const answers = objects.map(({ id, start, due, timeZone }) => {
          const zone = timeZone ?? floating ?? 'Etc/UTC';
          return [id, { utcStart: convert(start, zone), utcDue: convert(due, zone) }] as const;
        });
        return new Map(answers);
      },
      methods: {
        set: {
          /** A change without a time of its own has the present one. */
          before(args) {
            const updated = new Date().toJSON();
            const patches = Object.entries(args.update ?? {});
            const update = patches.map(([id, patch]) => [id, { updated, ...patch }] as const);
            return args.update === undefined
              ? args
              : { ...args, update: Object.fromEntries(update) };
          },
        },
      },
    },
  },
} satisfies Hooks;
