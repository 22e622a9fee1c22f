import type { StandardMethodName } from '../../src/capability/definition.js';
import type { TransportName } from './client/connection.js';
import type { Server } from './subject/server.js';
import type { Subject } from './subject/subject.js';

/** The RFC's words for how strict a rule is. */
export type Level = 'must' | 'should';

/**
 * Lists the levels, the stricter one first: a run at a level has the checks of those before it,
 * too.
 */
export const LEVELS: readonly Level[] = Object.freeze(['must', 'should']);

export type Specification = 'RFC 8620' | 'RFC 8887' | 'RFC 9404' | 'RFC 9425' | 'RFC 9670';

/** The needs of a check of a type; a run tells what is missing in place of running it. */
export interface TypeNeeds {
  readonly methods?: readonly StandardMethodName[];
  /** So many objects that an account may have at one time; 0 where the check makes none. */
  readonly room?: number;
  /** A mutable String that takes any text: most checks write one, change it, and find it again. */
  readonly text?: boolean;
  /** Several objects of an account have the same text at one time. */
  readonly repeats?: boolean;
  /** Types with many objects are meant where this isn't said; `both` takes singletons, too. */
  readonly singleton?: 'only' | 'both' | undefined;
}

/** Describes the part of a check that is the same for servers and types. */
interface CheckBase {
  /** Stable, kebab-case, unique among all checks. */
  readonly id: string;
  /** Of the specification, for instance 5.2. */
  readonly section: string;
  readonly specification: Specification;
  readonly level: Level;
  /** The rule that is checked, in our own words. */
  readonly rule: string;
  /**
   * The part of a type's descriptor that it takes for true. If a server fails, and somebody else
   * wrote its descriptor, that part may be wrong.
   */
  readonly restsOn?: string;
  /** Where it can be shown over one transport alone. */
  readonly transport?: TransportName;
}

/** Run once for a server. */
export interface ServerCheck extends CheckBase {
  readonly scope: 'server';
  /** Why it can't be run; null where it can. A reason found out later throws NotApplicable. */
  readonly applies?: (server: Server) => string | null;
  readonly run: (server: Server) => Promise<void>;
}

/** Run for each type. */
export interface TypeCheck extends CheckBase {
  readonly scope: 'type';
  readonly needs: TypeNeeds;
  readonly applies?: (subject: Subject) => string | null;
  readonly run: (subject: Subject) => Promise<void>;
}

export type Check = ServerCheck | TypeCheck;

/** Describes a row of a table of checks: the section and the specification may be the table's. */
type Told<C extends Check> = Pick<C, 'id' | 'level' | 'rule' | 'run'> &
  Partial<Pick<C, 'section' | 'specification' | 'transport' | 'restsOn'>> & {
    readonly applies?: NonNullable<C['applies']>;
  };

/**
 * Returns a section's checks of the server, one for each row. A row may name another section or
 * specification.
 */
export function serverChecks(
  section: string,
  rows: readonly Told<ServerCheck>[],
  specification: Specification = 'RFC 8620',
): readonly ServerCheck[] {
  return rows.map((row) => Object.freeze({ scope: 'server', section, specification, ...row }));
}

/**
 * Returns a section's checks of a type, one for each row. The needs of a row are added to the needs
 * of the table.
 */
export function typeChecks(
  section: string,
  needs: TypeNeeds,
  rows: readonly (Told<TypeCheck> & { readonly needs?: TypeNeeds })[],
  specification: Specification = 'RFC 8620',
): readonly TypeCheck[] {
  return rows.map((row) =>
    Object.freeze({
      scope: 'type',
      section,
      specification,
      ...row,
      needs: {
        ...needs,
        ...row.needs,
        methods: [...(needs.methods ?? []), ...(row.needs?.methods ?? [])],
      },
    }),
  );
}

/**
 * Tells whether a check belongs to a section or to a part of it: 3.6.1 belongs to 3.6, to 3 and to
 * 8620:3. Without a number of an RFC each RFC's section is meant.
 */
export function isOfSection(
  { section, specification }: Pick<Check, 'section' | 'specification'>,
  wanted: string,
): boolean {
  const [, rfc, number = wanted] = /^(\d+):(.*)$/.exec(wanted) ?? [];
  if (rfc !== undefined && specification !== `RFC ${rfc}`) return false;
  return section === number || section.startsWith(`${number}.`);
}
