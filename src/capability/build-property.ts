import type { PropertyDefinition, PropertyKind, PropertyRole } from './definition.js';

/** A property before its type gives it a name. */
export type PropertySource = Omit<PropertyDefinition, 'name' | 'column'> & {
  readonly column?: string;
};

/** The members of a definition in which a property differs from most others. */
export type PropertyOptions = Partial<Omit<PropertyDefinition, 'name' | 'kind' | 'role'>>;

/** Defines a property of text. */
export function string(options: PropertyOptions = {}): PropertySource {
  return property('string', options);
}

export function boolean(options: PropertyOptions = {}): PropertySource {
  return property('boolean', options);
}

/** Defines a property that holds an Int (RFC 8620 1.3). */
export function integer(options: PropertyOptions = {}): PropertySource {
  return property('integer', options);
}

/** Defines a property that holds a Number (RFC 8620 1.3). */
export function number(options: PropertyOptions = {}): PropertySource {
  return property('number', options);
}

/** Defines a property that holds a UTCDate. */
export function date(options: PropertyOptions = {}): PropertySource {
  return property('date', options);
}

/** Defines a property that holds a list, a set, a map or an object. */
export function json(options: PropertyOptions = {}): PropertySource {
  return property('json', options);
}

/** Defines the property `id` of every type. */
export function id(options: PropertyOptions = {}): PropertySource {
  return standardProperty('string', 'id', options);
}

/** Defines the time at which the object was created. */
export function created(options: PropertyOptions = {}): PropertySource {
  return standardProperty('date', 'created', options);
}

/** Defines the time of the object's last change. */
export function updated(options: PropertyOptions = {}): PropertySource {
  return standardProperty('date', 'updated', options);
}

function property(kind: PropertyKind, options: PropertyOptions): PropertySource {
  return {
    kind,
    nullable: false,
    required: false,
    ...(options.required === true ? {} : { default: null }),
    access: 'mutable',
    ...options,
  };
}

/** The engine sets it; a create that lacks it is no matter of defaults. */
function standardProperty(
  kind: PropertyKind,
  role: PropertyRole,
  options: PropertyOptions,
): PropertySource {
  return {
    kind,
    nullable: false,
    required: false,
    access: 'serverSet',
    role,
    ...options,
  };
}
