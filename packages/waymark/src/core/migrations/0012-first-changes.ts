/**
 * From here on `replica.document` may hold a first change in a form of its own. No table changes; but a program that
 * does not know of the form must not open such a store.
 */
export const firstChanges = {
  version: 12,
  sqlite: [],
}
