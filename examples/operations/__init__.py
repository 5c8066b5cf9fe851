"""Operations data of a team that runs models, for the demo."""
