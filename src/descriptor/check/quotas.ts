import { amountOf, type QuotaLevel } from '../../capability/quota-definition.js';
import { readAmount, UNIT_NAMES } from '../amounts.js';
import type { QuotaView, ReadView } from '../quota-view.js';
import type { CapabilityView, TypeView } from '../view.js';
import { didYouMean } from './did-you-mean.js';
import { listed, type Report, type Rule, reportDoubles } from './rule.js';
import { findType, typesOf } from './types.js';

/** A name that fits a plan, a row's name and the line of a command. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The capability of the type that shows quotas: it counts nothing of itself. */
const QUOTA_URN = 'urn:ietf:params:jmap:quota';

/** Refuses quotas that nobody can keep, and plans of quotas that there are not. */
export const quotas: Rule = (views, report) => {
  const types = typesOf(views);
  const shown = new Set(
    views.filter(({ urn }) => urn === QUOTA_URN).flatMap((view) => view.types.map((t) => t.name)),
  );
  const seen = new Map<string, QuotaView>();
  let unreferenced: QuotaView | undefined;
  for (const view of views) {
    for (const quota of view.quotas) {
      judgeName(quota, seen, report);
      judgeLimits(quota, report);
      if (quota.of !== undefined) {
        judgeUnreferenced(quota, unreferenced, report);
        unreferenced ??= quota;
        continue;
      }
      if (quota.per !== undefined)
        report('bad-quota', quota.per.at, '"per" goes with "of": others are of whole accounts.');
      judgeCounts(quota, types, report);
      reportDoubles(quota.types, report);
      if (quota.types.length === 0)
        report('empty', quota.nameAt, `the quota "${quota.name}" names no types.`);
      for (const named of quota.types) {
        const type = findType(types, named, report);
        if (type === undefined) continue;
        const why = shown.has(type.name) ? 'shows quotas' : type.singleton ? 'is a singleton' : '';
        if (why !== '')
          report('bad-quota', named.at, `no quota counts ${type.name}: the type ${why}.`);
      }
    }
    judgePlans(view, report);
  }
};

function judgeName(quota: QuotaView, seen: Map<string, QuotaView>, report: Report): void {
  const { name, nameAt } = quota;
  if (!NAME.test(name))
    report(
      'bad-quota',
      nameAt,
      `no quota or plan can be named ${JSON.stringify(name)}: a name has up to 64 letters, ` +
        'digits, "-" and "_", and begins with a letter.',
    );
  const earlier = seen.get(name);
  seen.set(name, earlier ?? quota);
  if (earlier === undefined) return;
  const message = `another capability has a quota "${name}" already; rename one.`;
  report('bad-quota', nameAt, message, { related: [earlier.nameAt] });
}

/** Judges the limit, and that warn is below soft and soft below the limit (RFC 9425 4.1). */
function judgeLimits({ name, nameAt, limits, warn, soft }: QuotaView, report: Report): void {
  const [limit, other] = limits;
  if (limit === undefined || other !== undefined) {
    const why = `the quota "${name}" needs either count or octets.`;
    report('bad-quota', other?.node.at ?? nameAt, why);
    return;
  }
  const { value } = limit;
  // Of a count the structure rule tells.
  if (value === undefined && limit.resource === 'octets')
    report('bad-quota', limit.node.at, noAmount(limit.node.value));
  if (value === undefined) return;
  const levels = [
    { key: 'warn', level: warn },
    { key: 'soft', level: soft },
  ].flatMap(({ key, level }) => readLevels(key, level, value, report));
  let next = { key: 'limit', amount: value };
  for (const level of levels.toReversed()) {
    if (level.amount >= next.amount)
      report(
        'bad-quota',
        level.at,
        `"${level.key}" is ${level.amount}, which is not below the ${next.key} of ${next.amount}.`,
      );
    next = level;
  }
}

/** Judges which octets count: of a count nothing but the objects, and no blobs where none are. */
function judgeCounts(
  { name, limits, counts, types: named }: QuotaView,
  types: ReadonlyMap<string, TypeView>,
  report: Report,
): void {
  if (counts === undefined) return;
  const { node, things } = counts;
  reportDoubles(things, report);
  const [limit] = limits;
  if (limit?.resource === 'count') {
    report('bad-quota', node.at, '"counts" is for quotas of octets: a count is of objects.');
    return;
  }
  const blobs = things.find((thing) => thing.name === 'blobs');
  const known = named.flatMap((type) => types.get(type.name) ?? []);
  if (blobs === undefined || known.length < named.length) return;
  const hasBlobs = ({ properties }: TypeView): boolean =>
    properties.some((property) => property.blobs.length > 0);
  if (known.some(hasBlobs)) return;
  report('bad-quota', blobs.at, `no type of the quota "${name}" refers to blobs.`);
}

/** Judges a quota of blobs that no object refers to. Nobody would see what it may not have. */
function judgeUnreferenced(
  { name, nameAt, types, limits, per, counts, warn, soft, description }: QuotaView,
  earlier: QuotaView | undefined,
  report: Report,
): void {
  const it = 'a quota of unreferenced blobs';
  const [limit] = limits;
  const [type] = types;
  if (per === undefined) report('bad-quota', nameAt, `the quota "${name}" needs per: user.`);
  if (limit?.resource === 'count') report('bad-quota', limit.node.at, `${it} is one of octets.`);
  if (type !== undefined) report('bad-quota', type.at, `${it} has no types: write types: [].`);
  for (const [key, given] of Object.entries({ counts, warn, soft, description }))
    if (given !== undefined) report('bad-quota', given.node.at, `${it} has no "${key}".`);
  if (earlier === undefined) return;
  const message = `the project has ${it} already, "${earlier.name}"; drop one.`;
  report('bad-quota', nameAt, message, { related: [earlier.nameAt] });
}

function readLevels(
  key: string,
  level: ReadView<QuotaLevel> | undefined,
  limit: number,
  report: Report,
) {
  if (level === undefined) return [];
  const { node, value } = level;
  if (value !== undefined) return [{ key, at: node.at, amount: amountOf(value, limit) }];
  report('bad-quota', node.at, `${noAmount(node.value)} A share of the limit is 1% to 99%.`);
  return [];
}

function judgePlans({ quotas: own, plans }: CapabilityView, report: Report): void {
  const names = own.map(({ name }) => name);
  for (const plan of plans) {
    if (!NAME.test(plan.name))
      report(
        'bad-quota',
        plan.nameAt,
        `no quota or plan can be named ${JSON.stringify(plan.name)}: a name has up to 64 ` +
          'letters, digits, "-" and "_", and begins with a letter.',
      );
    for (const { name, nameAt, node } of plan.limits) {
      const quota = own.find((one) => one.name === name);
      if (quota === undefined) {
        const known = names.length === 0 ? 'It has none.' : `Declared: ${listed(names)}.`;
        report(
          'bad-quota',
          nameAt,
          `the capability has no quota "${name}".${didYouMean(name, names)} ${known}`,
        );
        continue;
      }
      if (quota.of !== undefined) {
        const why = 'it has one limit for all accounts';
        report('bad-quota', nameAt, `no plan sets the quota "${name}" of blobs: ${why}.`);
        continue;
      }
      const resource = quota.limits[0]?.resource;
      if (resource !== undefined && readAmount(node.value, resource) === undefined)
        report('bad-quota', node.at, noAmount(node.value));
    }
  }
}

function noAmount(value: unknown): string {
  return (
    `${JSON.stringify(value)} is no amount: a whole number from 1 on, or of octets one with ` +
    `${listed(UNIT_NAMES)}.`
  );
}
