/** Joins what is there: `classNames(styles.row, isSelected && styles.selected)`. */
export const classNames = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ')
