from callqa import main

main()
