/** The id of the field in the top bar that takes the words until the search field is there. */
export const EARLY_FIELD = 'early-search-field'

/** The id of the window's search field, so that a key can focus it from anywhere. */
export const SEARCH_FIELD = 'search-field'
