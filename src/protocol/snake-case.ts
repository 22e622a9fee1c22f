const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/;

/**
 * Returns the camelCase name that a snake_case spelling stands for: `is_read` is `isRead`. Null for
 * a text that is not snake_case, or that has no underscore and so is spelt the same in both.
 */
export function snakeToCamel(name: string): string | null {
  if (!SNAKE_CASE.test(name)) return null;
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
