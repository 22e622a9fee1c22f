/** A part of a quota's limit: an amount by itself, or so many hundredths of the limit. */
export type QuotaLevel = number | { readonly percent: number };

/** How a quota is measured (RFC 9425 3.2). */
export type QuotaResource = 'count' | 'octets';

/** The things whose octets a quota counts. */
export type CountedThing = 'objects' | 'blobs';

/** A limit that the objects of some types share in each account (RFC 9425). */
export interface QuotaDefinition {
  /** Unique in the project. */
  readonly name: string;
  /** Names of types, of any capability. */
  readonly types: readonly string[];
  readonly resource: QuotaResource;
  /**
   * Of octets: the JSON of the objects as /get gives it, the blobs that they refer to, each once,
   * or both. Absent for objects alone.
   */
  readonly counts?: readonly CountedThing[];
  /** Objects or octets; a plan or the operator may set another. */
  readonly limit: number;
  readonly warn?: QuotaLevel;
  readonly soft?: QuotaLevel;
  readonly description?: string;
}

/**
 * A limit of the blobs that a user has uploaded to an account and that no object refers to (RFC
 * 8620 6.1). The oldest of them make room for new ones.
 */
export interface UnreferencedQuota {
  readonly name: string;
  /** Octets. */
  readonly limit: number;
}

/** The limits that accounts with a plan have: by the plan's name, by the quota's. */
export type QuotaPlans = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The amounts of a quota, as clients see them. */
export interface QuotaLimits {
  readonly hardLimit: number;
  readonly softLimit: number | null;
  readonly warnLimit: number | null;
}

/** Returns whether a quota counts the objects of its types, and not only their blobs. */
export function countsObjects({ counts }: Pick<QuotaDefinition, 'counts'>): boolean {
  return counts?.includes('objects') ?? true;
}

/** Returns whether a quota counts the octets of objects. */
export function countsOctets(quota: Pick<QuotaDefinition, 'counts' | 'resource'>): boolean {
  return quota.resource === 'octets' && countsObjects(quota);
}

/** Returns whether a quota counts the blobs that objects of its types refer to. */
export function countsBlobs({ counts }: Pick<QuotaDefinition, 'counts'>): boolean {
  return counts?.includes('blobs') ?? false;
}

/** Returns the amount of a level at a limit. */
export function amountOf(level: QuotaLevel, limit: number): number {
  return typeof level === 'number' ? level : Math.floor((limit * level.percent) / 100);
}

/**
 * Returns the limits of a quota where an account has this one. RFC 9425 wants warn below soft and
 * soft below hard: a level that would not be, or that an empty account has reached, is left out.
 */
export function limitsAt({ warn, soft }: QuotaDefinition, hardLimit: number): QuotaLimits {
  const below = (level: QuotaLevel | undefined, next: number): number | null => {
    const amount = level === undefined ? null : amountOf(level, hardLimit);
    return amount !== null && amount > 0 && amount < next ? amount : null;
  };
  const softLimit = below(soft, hardLimit);
  return { hardLimit, softLimit, warnLimit: below(warn, softLimit ?? hardLimit) };
}
