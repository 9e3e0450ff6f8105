/** Joins the names that are set: `classNames(styles.row, isSelected && styles.selected)`. */
export const classNames = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ')
