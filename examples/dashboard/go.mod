module github.com/errclass/errclass/examples/dashboard

go 1.26.0

replace github.com/errclass/errclass => ../..
