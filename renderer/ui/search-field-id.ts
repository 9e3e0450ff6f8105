/** The id of the window's search field, so that a key can focus it from anywhere. */
export const SEARCH_FIELD = 'search-field'
