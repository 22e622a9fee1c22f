export function isAllowed(expression: string, allowed: (licence: string) => boolean): boolean;
export function mayUse(name: string, licences: string | readonly string[]): boolean;
