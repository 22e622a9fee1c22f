import type { Subject } from '../subject/subject.js';

/** Why checks of queries can't be run for a type; null where they can. */

export const textSort = (subject: Subject): string | null =>
  subject.profile.textSort ? null : 'The type declares no sort by its text.';

export const textFilter = ({ profile }: Subject): string | null =>
  profile.textFilter === undefined ? 'The type declares no filter on its text.' : null;

export const filters = (subject: Subject): string | null =>
  subject.described.filters.length === 0 ? 'The type declares no filter.' : null;
