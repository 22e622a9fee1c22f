import { HookRefusal } from 'jmapsmith/capability';
import { commentType } from '../generated/tracker/Comment.definition.js';
import type { Hooks } from '../generated/tracker/hooks.js';
import { issueType } from '../generated/tracker/Issue.definition.js';
import { projectType } from '../generated/tracker/Project.definition.js';

export const hooks = {
  types: {
    Issue: {
      /** No new issues in a project that is archived. */
      async check(wanted, _call, reader) {
        const ids = wanted.flatMap(({ before, after }) =>
          before === null && after !== null ? [after.projectId] : [],
        );
        if (ids.length === 0) return;
        const projects = await reader.get(projectType, [...new Set(ids)]);
        const archived = new Set(projects.flatMap((p) => (p.archived ? [p.id] : [])));
        for (const { before, after, refuse } of wanted) {
          if (before === null && after !== null && archived.has(after.projectId))
            refuse({ type: 'forbidden', description: 'The project is archived.' });
        }
      },
      compute: {
        slug: ({ number, title }) =>
          `${number}-${title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}`.slice(0, 320),
      },
      /** The same transaction that closes an issue writes the comment that says so. */
      async inTransaction({ updated }, _call, tx) {
        const closed = updated.filter(
          ({ before, after }) => before.status === 'open' && after.status === 'closed',
        );
        if (closed.length === 0) return;
        const comments = closed.map(({ after }) => [
          `c${after.id}`,
          { issueId: after.id, body: `Closed: ${after.resolution ?? 'no reason'}.`, system: true },
        ]);
        await tx.set(commentType, { create: Object.fromEntries(comments) });
      },
    },
  },
  methods: {
    'Issue/close': async ({ accountId, ids, resolution }, _call, tx) => {
      const issues = await tx.get(issueType, [...new Set(ids)]);
      const closed = issues.find(({ status }) => status === 'closed');
      if (closed !== undefined)
        throw new HookRefusal('invalidArguments', `Issue ${closed.id} is closed already.`);
      const update = Object.fromEntries(
        issues.map(({ id, closings }) => [
          id,
          { status: 'closed' as const, resolution, closings: closings + 1 },
        ]),
      );
      const { updated } = await tx.set(issueType, { update });
      const known = new Set(issues.map(({ id }) => id));
      return {
        accountId,
        closed: Object.keys(updated ?? {}),
        notFound: ids.filter((id) => !known.has(id)),
      };
    },
    'Project/summary': async ({ accountId, id }, _call, tx) => {
      const [project] = await tx.get(projectType, [id]);
      if (project === undefined)
        throw new HookRefusal('invalidArguments', `"id": there is no project ${id}.`);
      const counts = { open: 0, closed: 0 };
      for (const issue of (await tx.get(issueType, null)).filter((i) => i.projectId === id))
        counts[issue.status] += 1;
      return { accountId, counts };
    },
  },
} satisfies Hooks;
