// Where tasks are kept when nobody says otherwise.

export const defaultStore = "sqlite:./sluice.db"
