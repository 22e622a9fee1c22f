import { FILTER_OPERATORS } from '../../../src/capability/filter-operators.js';
import type { Place } from '../../../src/capability/places.js';
import { innerForm, ownForm } from '../../../src/capability/text-forms.js';
import { kindOf } from '../../../src/descriptor/kinds.js';
import { isGiven, isWrittenByClients } from '../../../src/descriptor/model/access.js';
import {
  isVisible,
  typeHash,
  visibleFilters,
  visibleSorts,
} from '../../../src/descriptor/model/type-hash.js';
import type {
  ModelAnswered,
  ModelFilter,
  ModelProperty,
  ModelSort,
  ModelType,
} from '../../../src/descriptor/model.js';
import { mainType } from '../../../src/descriptor/validation/schema.js';
import { listPlainAnswered } from './answered-types.js';
import { type OwnMethod, verbOf } from './client-methods.js';
import { CLIENT } from './client-source.js';
import { stemOf } from './definition.js';
import type { GeneratedModule } from './generated-module.js';

/** Returns the name of the constant with a type's table. */
export function tableName(type: string): string {
  return `${stemOf(type)}Table`;
}

/** Adds what the client knows of a type while it runs. */
export function addTable(
  module: GeneratedModule,
  type: ModelType,
  own: readonly OwnMethod[],
  { capability }: Pick<OwnMethod, 'capability'>,
): void {
  const mine = own.filter((each) => each.capability === capability);
  module.addConstant({
    name: tableName(type.name),
    type: module.type(CLIENT, 'TypeTable'),
    value: {
      ...groupValue(
        type.name,
        capability.urn,
        mine,
        type.methods.map(({ name }) => name),
      ),
      hash: typeHash(capability, type),
      isSingleton: type.singleton || undefined,
      properties: {
        ...mapByName(type.properties.filter(isVisible), propertyValue),
        ...mapByName(listPlainAnswered(type), answeredValue),
      },
      filters: mapByName(visibleFilters(type), filterValue),
      sorts: mapByName(visibleSorts(type), sortValue),
    },
    words: `The table by which a client that runs knows ${type.name}.`,
  });
}

/** Returns a group of methods of one capability. */
export function groupValue(
  name: string,
  capability: string,
  own: readonly OwnMethod[],
  standard: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const bare = own.filter(({ method }) => method.account === 'none');
  return {
    name,
    capability,
    methods: [...standard, ...own.map(({ method }) => verbOf(method))],
    withoutAccount: bare.length === 0 ? undefined : bare.map(({ method }) => verbOf(method)),
  };
}

function mapByName<Named extends { readonly name: string }>(
  all: readonly Named[],
  describe: (each: Named) => object,
): Readonly<Record<string, object>> {
  return Object.fromEntries(all.map((each) => [each.name, describe(each)]));
}

function propertyValue(property: ModelProperty): object {
  const references = [
    ...property.references.map(({ type, place }) => referenceValue(type, place)),
    ...property.blobs.map((place) => referenceValue(null, place)),
  ];
  return {
    kind: property.kind,
    // Of a date the kind says enough.
    format: property.kind === 'string' ? property.schema.format : undefined,
    isNullable: property.nullable || undefined,
    access: accessOf(property),
    default: property.default,
    isNow: property.defaultNow,
    references: references.length === 0 ? undefined : references,
  };
}

function accessOf(property: ModelProperty): string | undefined {
  if (!isGiven(property)) return 'serverSet';
  if (property.access === 'secret') return 'secret';
  return isWrittenByClients(property) ? undefined : 'immutable';
}

function answeredValue({ schema, nullable }: ModelAnswered): object {
  const kind = kindOf(mainType(schema), schema.format) ?? 'json';
  const format = kind === 'string' ? schema.format : undefined;
  return { kind, format, isNullable: nullable, access: 'serverSet' };
}

function referenceValue(type: string | null, place: Place): object {
  const at = tokensOf(place);
  return { type, at: at.length === 0 ? undefined : at };
}

/** Returns the way to a place in the values of a property, as tables of the client have it. */
export function tokensOf(place: Place): readonly string[] {
  return place.flatMap((step) => {
    if ('branch' in step) return [];
    if ('each' in step) return step.each === 'key' ? ['key'] : ['*'];
    // A member that is called like one of these words.
    return step.member === 'key' || step.member === '*' ? [`~${step.member}`] : [step.member];
  });
}

function filterValue(filter: ModelFilter): object {
  const { property, properties = [], operator, many } = filter;
  return {
    property: property.name,
    operator,
    isFormed: isFormed(filter) || undefined,
    properties: properties.length < 2 ? undefined : properties.map(({ name }) => name),
    where: property.within?.where,
    isAll: many === 'all' || undefined,
  };
}

/** Returns whether the server compares a stored form of texts, and not the texts as they are. */
function isFormed({ property, operator }: ModelFilter): boolean {
  const { compares } = FILTER_OPERATORS[operator];
  if (compares === 'key' || compares === 'item') return innerForm(property, compares) !== undefined;
  // Of a property that is a date, not a part of one, clients know that it is.
  const isKnown = property.kind === 'date' && !property.name.includes('/');
  return compares === 'value' && !isKnown && ownForm(property) !== undefined;
}

function sortValue({ property, by }: ModelSort): object {
  return { property: property.name, by };
}
